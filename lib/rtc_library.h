/* SPDX-License-Identifier: MIT
 *
 * Finding NVRTC's file and loading it.
 */
#ifndef SRT_RTC_LIBRARY_H
#define SRT_RTC_LIBRARY_H

/* Loads the file that `asked` names, or, where that is "", the first that the dynamic loader or a toolkit has. */
int srt_rtc_library_open(void **library, const char *asked);
/* Loads the second half of NVRTC, which it asks for by name alone: from the folder of the file `path`. */
void srt_rtc_library_open_builtins(const char *path, int major, int minor);

#endif
