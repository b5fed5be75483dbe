/* SPDX-License-Identifier: MIT
 *
 * Texts of the caller's have to be complete: what they include would be no part of them.
 */
#ifndef SRT_USER_INCLUDE_H
#define SRT_USER_INCLUDE_H

/* The first line, from 1 on, of CUDA C++ text that includes or embeds a file, or asks whether there is one; 0: none.
 * Comments and literals are no code.  Pure. */
int srt_user_include_line(const char *text);

#define SRT_USER_MACRO_SIZE 128 /* of a macro's name, terminator included; longer ones are cut */

typedef void srt_user_macro_visit(void *user, const char *name, int line);

/* Visits each macro that the text defines or undefines, wherever it does. */
void srt_user_each_macro(const char *text, srt_user_macro_visit *visit, void *user);

#endif
