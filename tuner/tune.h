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
int tune_command_why(const struct tune_options *options);
int tune_command_again(const struct tune_options *options); /* verify, recheck, import */
int tune_command_export(const struct tune_options *options);
int tune_command_vendor(const struct tune_options *options);
int tune_command_prune(const struct tune_options *options);
int tune_command_doctor(const struct tune_options *options);
int tune_command_bench(const struct tune_options *options);
int tune_command_compare(const struct tune_options *options);
int tune_command_plot(const struct tune_options *options);

/* The exit status that goes with a status of the library. */
int tune_exit_of(int status);
const char *tune_origin_name(int origin); /* "tuned" for SCANRT_ORIGIN_TUNED */

#endif
