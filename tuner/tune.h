/* SPDX-License-Identifier: MIT
 *
 * The commands of scantune; each returns the exit status.
 */
#ifndef TUNE_TUNE_H
#define TUNE_TUNE_H

#include "options.h"

int tune_command_tune(const struct tune_options *options);
int tune_command_devices(const struct tune_options *options);
int tune_command_list(const struct tune_options *options);
int tune_command_show(const struct tune_options *options);
int tune_command_bench(const struct tune_options *options);

#endif
