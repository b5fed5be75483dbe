/* SPDX-License-Identifier: MIT
 *
 * Functions that a caller's text declares, calls, and does not define: a compiler leaves them to a linker, whose
 * message has a mangled name and no line.
 */
#ifndef SRT_USER_UNDEFINED_H
#define SRT_USER_UNDEFINED_H

#include <stdbool.h>

struct srt_user_undefined {
	char name[128]; /* of the function, without what is around it; longer ones are cut */
	char part[128]; /* the #line's name of the text that it is in */
	int line;       /* where it is named first */
};

/* From a compiler's or linker's message about such a function, or from PTX that leaves one to a linker; text is what
 * the kernels include (user_text.h).  False: there is none that the text names.  Pure. */
bool srt_user_find_undefined(struct srt_user_undefined *found, const char *output, const char *text);

#endif
