/* SPDX-License-Identifier: MIT
 *
 * A folder of a test program's own, below TMPDIR, which is gone with all in it when the program ends.
 */
#ifndef FOLDER_H
#define FOLDER_H

/* Absolute; made when it is first asked for, as scanrt-NAME-XXXXXX.  Forked children leave it to their parent. */
const char *folder(const char *name);

#endif
