/* SPDX-License-Identifier: MIT
 *
 * A problem that is stated in a file, in the form of scanrt-problem(5): what the caller of the library states in a
 * struct scanrt_problem, and what a tuner has to know besides: which elements there are, and how exact results are.
 */
#ifndef TUNE_PROBLEM_FILE_H
#define TUNE_PROBLEM_FILE_H

#include "layout.h"
#include "problem.h"
#include "strbuf.h"

#define TUNE_PROBLEM_FILE_BYTES ((size_t)1 << 20) /* no file is larger, and no state */

enum { TUNE_TYPES_MAX = 8, TUNE_BLOCKS_MAX = TUNE_TYPES_MAX + 3 };

/* A text of the file's, as the compiler's messages call it, and the line that its first line is. */
struct tune_block {
	char name[SRT_USER_NAME_SIZE + 16]; /* "operator add" */
	int line;
};

struct tune_described {
	struct srt_problem problem;  /* in the first of its modes */
	struct scanrt_problem given; /* the same for the library's public calls; the structure may not be moved */
	struct tune_layout layouts[SRT_ROLES];
	unsigned char *state;        /* what the operator's state is while it is tuned */
	size_t state_bytes;
	unsigned char *elements;     /* input elements to be used, in turn, in the place of random ones; or NULL */
	size_t element_count;
	double tolerance;            /* of floats, in parts of the largest so far; 0: none stated */
	int modes[2];
	size_t mode_count;
	bool has_modes;              /* stated, and not all that are possible */
	struct tune_block blocks[TUNE_BLOCKS_MAX];
	size_t block_count;
	struct scanrt_user_type types[TUNE_TYPES_MAX];
	size_t type_count;
	struct scanrt_user_operator op;
	struct srt_strbuf identity;
	struct srt_strbuf initial;
	char *lines;                 /* what all names and texts point into */
	char *name;                  /* of the file, for messages */
	char *text;                  /* all of it, for the workers to read again */
	size_t length;
};

/* Both return a status, and the record says what is wrong, with the line. */
int tune_described_parse(struct tune_described *described, const char *name, const char *text, size_t length);
int tune_described_open(struct tune_described *described, const char *path);
/* Elements from a file, bytes as they lie in an array of the input type. */
int tune_described_take_elements(struct tune_described *described, const char *path);
int tune_described_copy_elements(struct tune_described *described, const void *elements, size_t bytes);
void tune_described_free(struct tune_described *described);

/* The problem in one of its modes.  It shares the user of the described one, and is not to be freed. */
struct srt_problem tune_described_in_mode(const struct tune_described *described, int mode);

/* "operator add(3): error" of the compiler, with the file's line in front where it is about a text of the file's. */
void tune_described_locate(char *text, size_t size, const struct tune_described *described, const char *message);

/* values.c: "f32 1 0 u8 4*0 ...": numbers of the types named, bytes of them appended to `bytes`.  wanted: how many
 * there have to be, or 0; `...` fills up with zeros.  NULL, or what is wrong with the words, which are overwritten. */
const char *tune_values_parse(struct srt_strbuf *bytes, char *words, size_t wanted);
/* "16*u8:0:15 f32:-1:1 4*pad": the same for a layout. */
const char *tune_layout_parse(struct tune_layout *layout, char *words);
char *tune_next_word(char **rest); /* NULL at the end, or at a comment */
int tune_any_type(const char *name); /* of all built-in ones; 0: none */

#endif
