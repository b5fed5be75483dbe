/* SPDX-License-Identifier: MIT
 *
 * The reference that the device tests trust: its formats, its conversions, its operators, and that its data cannot
 * hide a mistake.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../reference.h"
#include "../tap.h"

static void formats(void)
{
	static const int types[] = { SCANRT_F16, SCANRT_BF16 };
	unsigned wrong = 0;

	for (unsigned t = 0; t < 2; t++) {
		for (unsigned bits = 0; bits < 65536; bits++) {
			uint16_t in = (uint16_t)bits;
			uint16_t out;
			struct element value = element_load(types[t], &in, 0);

			element_store(types[t], &out, 0, value);
			wrong += isnan(value.high) ? !isnan(element_load(types[t], &out, 0).high) : in != out;
		}
	}
	tap_is_uint(wrong, 0, "every f16 and bf16 survives the way to a double and back");
}

static uint64_t bits_of(int type, double value)
{
	uint64_t bits = 0;
	struct element from = { 0, value, 0 };

	element_store(type, &bits, 0, from);
	return bits;
}

static void rounding(void)
{
	float single;
	uint64_t bits = bits_of(SCANRT_F32, 0.1);

	memcpy(&single, &bits, sizeof(single));
	tap_is_double(single, 0.1f, "0.1 rounds to f32 as the compiler rounds it");
	tap_is_uint(bits_of(SCANRT_F64, DBL_MIN / 3), 0x0005555555555555, "a subnormal double keeps its bits");
	tap_is_uint(bits_of(SCANRT_F16, 65519.99), 0x7bff, "below half a quantum over the largest f16 it stays finite");
	tap_is_uint(bits_of(SCANRT_F16, 65520), 0x7c00, "from half a quantum on it is infinite");
	tap_is_uint(bits_of(SCANRT_F16, 2049), 0x6800, "a tie rounds to even, down");
	tap_is_uint(bits_of(SCANRT_F16, 2051), 0x6802, "a tie rounds to even, up");
	tap_is_uint(bits_of(SCANRT_F16, ldexp(1, -25)), 0, "half the least subnormal f16 rounds to zero");
	tap_is_uint(bits_of(SCANRT_F16, ldexp(1.001, -25)), 1, "just over half of it rounds to it");
	tap_is_uint(
		bits_of(SCANRT_BF16, 1 + ldexp(1, -8) + ldexp(1, -40)), 0x3f81, "bf16 rounds once, not through f32");
	tap_is_uint(bits_of(SCANRT_BF16, -0.0), 0x8000, "a negative zero keeps its sign");
}

static int64_t converted(int from, int to, uint64_t integer, double real)
{
	struct element value = { integer, real, 0 };
	struct element result = element_convert(from, to, value);

	return (int64_t)result.integer;
}

static void conversions(void)
{
	struct element zero = { 0, -0.0, 0 };

	tap_is_double(element_convert(SCANRT_F32, SCANRT_F16, zero).high, -0.0, "a conversion keeps the sign of zero");
	tap_is_int(converted(SCANRT_I32, SCANRT_I8, 300, 0), 44, "300 wraps to an i8 of 44");
	tap_is_int(converted(SCANRT_U8, SCANRT_I8, 200, 0), -56, "200 wraps to an i8 of -56");
	tap_is_int(converted(SCANRT_I8, SCANRT_U64, (uint64_t)-1, 0), -1, "an i8 of -1 is sign-extended into a u64");
	tap_is_int(converted(SCANRT_F32, SCANRT_I32, 0, -2.9), -2, "a float truncates towards zero");
	tap_is_int(converted(SCANRT_F32, SCANRT_U8, 0, -2.9), 254, "and wraps after that");
	tap_is_int(converted(SCANRT_F64, SCANRT_I64, 0, 1e300), INT64_MAX, "a large double saturates at 64 bits");
	tap_is_int(converted(SCANRT_F64, SCANRT_I32, 0, 1e300), -1, "whose low 32 bits a narrower type gets");
	tap_is_int(converted(SCANRT_F64, SCANRT_I64, 0, NAN), 0, "a NaN becomes 0");
	tap_is_int(converted(SCANRT_F64, SCANRT_U64, 0, -5), 0, "a negative double becomes a u64 of 0");
}

/* Every operator that verification relies on, over exact data: any bracketing gives the same bits. */
static bool associates(int op, int type)
{
	struct srt_problem problem;
	struct element item[3];
	unsigned wrong = 0;
	char input[3 * 512 * 8];

	srt_problem_init_simple(&problem, type, op);
	reference_fill(input, &problem, REFERENCE_EXACT, 3, 3 * 512);
	for (unsigned i = 0; i < 512; i++) {
		struct element left;
		struct element right;
		uint64_t words[2] = { 0, 0 };

		for (unsigned k = 0; k < 3; k++)
			item[k] = element_load(type, input, 3 * i + k);
		left = reference_apply(op, type, reference_apply(op, type, item[0], item[1]), item[2]);
		right = reference_apply(op, type, item[0], reference_apply(op, type, item[1], item[2]));
		element_store(type, words, 0, left);
		element_store(type, words + 1, 0, right);
		wrong += words[0] != words[1];
	}
	return wrong == 0;
}

/* Whether swapping two neighbours changes the result behind both: that takes an operator which does not commute. */
static bool notices(int op, int type, uint64_t at)
{
	uint64_t count = 4096;
	struct srt_problem problem;
	struct reference right;
	struct reference swapped;
	uint64_t size = srt_type_size(type);
	char *input;
	bool is_seen;

	srt_problem_init_simple(&problem, type, op);
	reference_create(&right, &problem, REFERENCE_EXACT, 5, count);
	input = right.input;
	for (uint64_t i = 0; i < size; i++) {
		char byte = input[at * size + i];

		input[at * size + i] = input[(at + 1) * size + i];
		input[(at + 1) * size + i] = byte;
	}
	reference_create_from(&swapped, &problem, input, false, count);
	is_seen =
		memcmp((char *)right.expected + (at + 1) * size, (char *)swapped.expected + (at + 1) * size, size) != 0;
	reference_destroy(&right);
	reference_destroy(&swapped);
	return is_seen;
}

static void operators(void)
{
	static const int types[] = { SCANRT_U8, SCANRT_U16, SCANRT_U32, SCANRT_U64 };
	static const int floats[] = { SCANRT_F16, SCANRT_BF16, SCANRT_F32, SCANRT_F64 };

	for (unsigned t = 0; t < 4; t++) {
		unsigned seen = 0;

		for (uint64_t at = 0; at < 4000; at += 40)
			seen += notices(SRT_OP_AFFINE, types[t], at);
		tap_ok(seen >= 75, "of 100 swaps of neighbours affine maps of %s show %u", srt_type_name(types[t]),
			seen);
		tap_ok(associates(SRT_OP_AFFINE, types[t]), "affine maps of %s associate", srt_type_name(types[t]));
		tap_ok(associates(SRT_OP_LAST, types[t]), "last of %s associates", srt_type_name(types[t]));
		tap_ok(associates(SCANRT_SUM, floats[t]) && associates(SCANRT_PROD, floats[t]),
			"exact data of %s adds and multiplies without rounding", srt_type_name(floats[t]));
	}
}

/* How many different results a scan has says how many mistakes it can show. */
static uint64_t distinct_results(int op, int type, uint64_t count)
{
	struct srt_problem problem;
	struct reference reference;
	uint64_t size = srt_type_size(type);
	uint64_t changes = 0;

	srt_problem_init_simple(&problem, type, op);
	reference_create(&reference, &problem, REFERENCE_EXACT, 5, count);
	for (uint64_t i = 1; i < count; i++)
		changes += memcmp((char *)reference.expected + i * size, (char *)reference.expected + (i - 1) * size,
				   size) != 0;
	reference_destroy(&reference);
	return changes;
}

static void data(void)
{
	tap_ok(distinct_results(SCANRT_PROD, SCANRT_U32, 100000) > 90000, "integer products do not vanish");
	tap_ok(distinct_results(SCANRT_MAX, SCANRT_I32, 100000) > 25, "maxima rise to the end of long arrays");
	tap_ok(distinct_results(SCANRT_MAX, SCANRT_I8, 10000) > 25, "even of bytes");
	tap_ok(distinct_results(SCANRT_AND, SCANRT_U64, 100000) > 25, "bit-wise results change over the whole array");
	tap_ok(distinct_results(SRT_OP_LAST, SCANRT_U16, 100000) > 10000, "last changes at every seventh element");
	tap_ok(distinct_results(SCANRT_SUM, SCANRT_BF16, 10000) > 7000, "float sums of few bits keep moving (%llu)",
		(unsigned long long)distinct_results(SCANRT_SUM, SCANRT_BF16, 10000));
}

/* The bound accepts what a tree may round and refuses what a lost element does. */
static void bounds(void)
{
	struct srt_problem problem;
	struct reference reference;
	uint64_t count = 10000;
	uint64_t index = 0;
	uint64_t wrong = 0;
	float *seen = malloc(count * sizeof(*seen));
	float sum = 0;

	if (!seen)
		abort();
	srt_problem_init_simple(&problem, SCANRT_F32, SCANRT_SUM);
	reference_create(&reference, &problem, REFERENCE_REAL, 1, count);
	for (uint64_t i = 0; i < count; i++) {
		sum += ((float *)reference.input)[i];
		seen[i] = sum;
	}
	tap_ok(reference_check(&reference, seen, count, (double)count, &index, &wrong),
		"B049: a serial f32 sum keeps the bound of its depth");
	for (uint64_t i = 500; i < count; i++)
		seen[i] -= ((float *)reference.input)[500];
	tap_ok(!reference_check(&reference, seen, count, 60, &index, &wrong) && index == 500,
		"a lost element breaks the bound, at its index");
	seen[0] = NAN;
	tap_ok(!reference_check(&reference, seen, 1, 60, &index, &wrong), "a NaN breaks every bound");
	free(seen);
	reference_destroy(&reference);
}

int main(void)
{
	tap_plan(0);
	formats();
	rounding();
	conversions();
	operators();
	data();
	bounds();
	return tap_done();
}
