/* SPDX-License-Identifier: MIT
 *
 * Whether an operator is what a scan needs: associative, with the identity and the commutativity that are claimed, one
 * result for one pair of operands, and operands left as they were.  It is tried on neighbours of a given array, and on
 * larger and larger parts of it.
 */
#ifndef SRT_OPERATOR_CHECK_H
#define SRT_OPERATOR_CHECK_H

#include "image.h"
#include "problem.h"
#include "strbuf.h"

struct srt_driver;

/* How results are compared and shown; both are accumulators. */
struct srt_comparison {
	/* How far `seen` is from `wanted`, in parts of the largest of the operands: 0 is equal, and what is not a
	 * number's rounding is infinite. */
	double (*deviation)(void *user, const void *wanted, const void *seen, const void *const *operands,
		size_t operand_count);
	void (*print)(void *user, char *text, size_t size, const void *value); /* or NULL: the bytes alone */
	void *user;
	double tolerance; /* larger deviations are errors */
};

struct srt_check_report {
	bool is_good;
	double deviation;     /* the largest that was tolerated */
	uint64_t triples;     /* that were tried */
	struct srt_strbuf text; /* of a bad one: what does not hold, and the example, a line each; to be freed */
};

/* The bytes of `values`, all of them or the beginning: "00 00 80 3f ...". */
void srt_bytes_print(char *text, size_t size, const void *bytes, size_t count);

/* Values are compared as words of one type, SCANRT_F32 or SCANRT_F64, or, type SCANRT_TYPE_DEFAULT, byte by byte. */
struct srt_words {
	size_t bytes; /* of a value */
	int type;
};
struct srt_comparison srt_comparison_of_words(struct srt_words *words, double tolerance);

/* image: of user_try.cu, machine code for the current context's device.  in: count input elements on the device, 3 at
 * least.  Fails where it could not be tried; whether the operator is good is in the report. */
int srt_operator_check(struct srt_check_report *report, const struct srt_driver *driver,
	const struct srt_problem *problem, const struct srt_image *image, const void *state, uint64_t in,
	uint64_t count, const struct srt_comparison *comparison);

#endif
