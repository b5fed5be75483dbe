/* SPDX-License-Identifier: MIT
 *
 * Finds and loads the shared object of other libraries' scans, where it was built (bench/peers.h).
 */
#ifndef TUNE_PEERS_H
#define TUNE_PEERS_H

#include "../bench/peers.h"

/* The peers, or NULL; then *reason says why, for people.  SCANTUNE_PEERS names the only file that is tried, or is
 * "off"; else it is looked for beside the program and where it is installed.  Loaded once and never unloaded. */
const struct scanrt_peers *tune_peers_open(const char **reason);
/* Those of structures and operators that only the benchmarks know (bench/peers_user.cu), or NULL. */
const struct scanrt_peers *tune_peers_open_user(void);

#endif
