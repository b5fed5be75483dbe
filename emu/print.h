/* SPDX-License-Identifier: MIT
 *
 * What device code prints.
 */
#ifndef EMU_PRINT_H
#define EMU_PRINT_H

#include "state.h"

/* Prints to standard output, as the device does when the host synchronises; here at once.  Returns how many arguments
 * the format took. */
uint32_t emu_print(const struct emu_warp *warp, int lane, const char *format, uint64_t arguments);

#endif
