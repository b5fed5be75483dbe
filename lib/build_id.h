/* SPDX-License-Identifier: MIT
 *
 * Which build of a shared library is loaded: two builds of one version may behave differently.
 */
#ifndef SRT_BUILD_ID_H
#define SRT_BUILD_ID_H

#define SRT_BUILD_ID_SIZE 17 /* 16 hexadecimal digits and the terminator */

/* Of the library that `address` lies in: the beginning of the linker's build id, or where there is none a hash that
 * stands for it; "unknown" if the file cannot be read either. */
void srt_build_id(char text[SRT_BUILD_ID_SIZE], const void *address);

#endif
