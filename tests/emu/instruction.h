/* SPDX-License-Identifier: MIT
 *
 * Tests of instructions: each runs over many inputs, and every result must be the one that a function of the host
 * gives.
 */
#ifndef TESTS_EMU_INSTRUCTION_H
#define TESTS_EMU_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

/* Operands and the result are passed as 64 bits; narrower ones use the low bits. */
typedef uint64_t instruction_host(uint64_t a, uint64_t b, uint64_t c);

struct instruction {
	/* PTX with %0 for the destination, %1 to %3 for sources; predicate %p may be used within. */
	const char *text;
	/* Register of the destination and of each source: 'h' 16, 'w' 32, 'd' 64 bits; "www" has two sources. */
	const char *shape;
	instruction_host *host;
};

/* Which values the inputs take: edges of integers, of f32, f64 or 16-bit floats. */
enum instruction_inputs { INPUTS_INTEGER, INPUTS_F32, INPUTS_F64, INPUTS_F16, INPUTS_BF16 };

extern const struct instruction instruction_arithmetic[], instruction_logic[], instruction_f32[], instruction_f64[],
	instruction_f16[], instruction_bf16[], instruction_conversions[]; /* end with a null text */

#define INSTRUCTION_CASES 4096
#define INSTRUCTION_BLOCK 128

/* Runs the kernel `test` of a PTX module with INSTRUCTION_CASES threads: out gets 8 bytes of each, in has 24.  Where it
 * does not run, returns false and has told why by tap_diag(). */
typedef bool instruction_run(void *context, uint64_t *out, const char *text, const uint64_t *in);

/* One test for each instruction. */
void instruction_test_all(instruction_run *run, void *context);

#endif
