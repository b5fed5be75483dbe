/* SPDX-License-Identifier: MIT
 *
 * A scan problem with its defaults resolved: types, operator, mode.  Pure; knows no driver.
 */
#ifndef SRT_PROBLEM_H
#define SRT_PROBLEM_H

#include <stdbool.h>

#include "scanrt.h"
#include "strbuf.h"
#include "user.h"

/* Operators beyond the public ones, for verification: non-commutative and exact on unsigned integers.  The public
 * API refuses them; scantune and the tests use them to check that a kernel keeps the order of its operands. */
enum srt_internal_operator {
	SRT_OP_LAST = 1000,   /* the last non-zero element: apply(a, b) = b ? b : a; any integer type */
	SRT_OP_AFFINE = 1001  /* x -> a x + b, packed as a (high half) and b (low), modulo 2^(bits/2); unsigned */
};

/* What a kernel is compiled for. */
struct srt_problem {
	int input_type; /* enum scanrt_type, never SCANRT_TYPE_DEFAULT */
	int accumulator_type;
	int output_type;
	int op;
	bool is_exclusive;
	bool has_initial;
	bool is_initial_on_device;
	unsigned char initial[32]; /* host bytes, where it is not on the device; larger ones are in user */
	const void *initial_on_device;
	uint64_t max_count; /* never 0 */
	uint64_t min_count; /* never 0; a count of 0 is legal all the same */
	struct srt_user *user; /* what of it is the caller's, or NULL; owned, and shared by copies */
};

/* Checks a caller's structure (size, tail, enum values, combinations) and resolves its defaults. */
int srt_problem_init(struct srt_problem *problem, const struct scanrt_problem *public_problem);
void srt_problem_free(struct srt_problem *problem); /* what a problem with a user holds; zero-initialised is fine */
/* The same for one type and any operator, internal ones included: inclusive, no initial value, max_count 2^32. */
int srt_problem_init_simple(struct srt_problem *problem, int type, int op);

/* Of the element that plays a role, whoever's it is. */
size_t srt_problem_size(const struct srt_problem *problem, enum srt_role role);      /* bytes */
size_t srt_problem_alignment(const struct srt_problem *problem, enum srt_role role); /* bytes, of arrays */
const char *srt_problem_type_name(const struct srt_problem *problem, enum srt_role role);
const char *srt_problem_op_name(const struct srt_problem *problem);
/* Whether accumulators can lie in the output array between two passes. */
bool srt_problem_keeps_in_output(const struct srt_problem *problem);
bool srt_problem_is_commutative(const struct srt_problem *problem);

bool srt_type_converts(int from, int to); /* between built-in types, by the library */

/* The built-in ones.  SCANRT_TYPE_USER has a name, "user", and size 0. */
size_t srt_type_size(int type);              /* bytes; 0 for an unknown type */
size_t srt_type_alignment(int type);
const char *srt_type_name(int type);         /* "i8" ... "f64"; NULL for an unknown type */
int srt_type_parse(int *type, const char *name); /* scalars only */
bool srt_type_is_float(int type);
bool srt_type_is_signed(int type);
const char *srt_op_name(int op);             /* "sum" "prod" "min" "max" "and" "or" "xor" ... "last" "packed"; NULL */
int srt_op_parse(int *op, const char *name); /* public operators of scalars only */
const char *srt_op_class(int op);            /* what costs the same shares tuning: "arithmetic", "order", "bit", ... */
bool srt_op_is_public(int op);
bool srt_op_takes(int op, int accumulator_type);
bool srt_op_is_commutative(int op);
/* Every type and public operator, for loops: index from 0, 0 at the end. */
int srt_type_at(int index);
int srt_op_at(int index);

/* "sum i32", or "sum i8>i32>i32" where the types differ; with " exclusive", " initial" for the exact form that an
 * image is for.  The choice of a variant uses the short form. */
void srt_problem_format(struct srt_strbuf *out, const struct srt_problem *problem, bool is_exact);

#endif
