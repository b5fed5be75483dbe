/* SPDX-License-Identifier: MIT
 *
 * Mutants: our kernels with one thing taken out, which the emulated device must catch.  What it lets pass would also
 * pass unseen on the day somebody takes it out by mistake.
 */
#ifndef TESTS_EMU_MUTANT_H
#define TESTS_EMU_MUTANT_H

#include <stdbool.h>

/* As a trial's operator: the one of span.h, which shows what is combined even where nobody uses it. */
#define MUTANT_SPANS (-1)

/* A kernel under which a mutant shows: variant, operator (SRT_OP_AFFINE is not commutative) and type, of the input
 * only where there is one of the results. */
struct mutant_trial {
	const char *variant;
	int op;
	int type;
	int result_type; /* or 0 */
};

struct mutant {
	const char *what;  /* what is missing: "the barrier after ..." */
	const char *file;  /* of kernels/ */
	const char *from;  /* text in it */
	const char *to;    /* what stands in its place */
	int occurrence;    /* which of several, from 1; 0: it must be the only one */
	const struct mutant_trial *trials; /* ends with a NULL variant; the first that catches it is enough */
	const char *excuse; /* why nothing can catch it; NULL: something must */
};

extern const struct mutant mutants_lookahead[]; /* ends with a NULL what, as every list of them */
extern const struct mutant mutants_wide[];
extern const struct mutant mutants_turing[];    /* of what is otherwise where there are no bulk copies */

/* One check for each mutant, and before them one for each trial with the kernels as they are; on a model of the
 * emulated device, or, with NULL, its usual one. */
void mutant_check_all(const struct mutant *mutants, const char *model);

#endif
