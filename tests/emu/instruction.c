/* SPDX-License-Identifier: MIT */
#include "tests/emu/instruction.h"

#include "tests/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES INSTRUCTION_CASES

static uint64_t random_bits(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static const uint64_t integers[] = {
	0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff,
		0x10000, 0xffffff,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000,
	0xfffffffffffffffe, 0xffffffffffffffff, 0x0123456789abcdef, 0xfedcba9876543210,
};
static const uint64_t singles[] = {
	0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f800001,
	0x3f7fffff, 0x40000000, 0x3f000000, 0x4b000001, 0xcb000001, 0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000,
	0x5f000000, 0x5f800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
	0x40490fdb, 0x3eaaaaab, 0x33800000, 0x477fe000, 0x477ff000, 0x38800000, 0x33000001, 0x3f000001,
	/* A product that is just below the least normal number, by less than half of what 24 bits tell apart. */
	0x00800001, 0x3f7ffffe,
};
static const uint64_t doubles[] = {
	0, 0x8000000000000000, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000,
	0x3ff0000000000001, 0x4000000000000000, 0x3fe0000000000000, 0x41dfffffffc00000, 0x41e0000000000000,
	0xc1e0000000200000, 0x43e0000000000000, 0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000,
	0x36a0000000000000, 0x3690000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
	0x7ff8000000000000, 0x400921fb54442d18, 0x3fd5555555555555, 0x4330000000000001,
};
static const uint64_t halves[] = {
	0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4000, 0x3800,
		0x6400, 0x7bff,
	0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3555, 0x4248, 0x1400, 0x63d0, 0x57f0,
};
static const uint64_t brains[] = {
	0x0000, 0x8000, 0x0001, 0x007f, 0x0080, 0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x4000, 0x3f00, 0x4b00,
		0x7f7f, 0xff7f,
	0x7f80, 0xff80, 0x7fc0, 0x4049, 0x3eab,
};

static uint64_t input(enum instruction_inputs inputs, uint64_t *state)
{
	static const struct {
		const uint64_t *values;
		size_t count;
	} edges[] = {
		{ integers, sizeof integers / sizeof *integers }, { singles, sizeof singles / sizeof *singles },
		{ doubles, sizeof doubles / sizeof *doubles }, { halves, sizeof halves / sizeof *halves },
		{ brains, sizeof brains / sizeof *brains },
	};
	uint64_t bits = random_bits(state), value = random_bits(state);
	uint64_t edge = edges[inputs].values[bits % edges[inputs].count];

	if (bits >> 60 < 10)
		return edge;
	if (inputs == INPUTS_INTEGER)
		return value >> (bits >> 32 & 63);
	/* Near an edge or anywhere. */
	return bits >> 60 < 13 ? edge + (value & 7) - 4 : value;
}

static unsigned bits_of(char letter)
{
	return letter == 'h' ? 16 : letter == 'w' ? 32 : 64;
}

static void put_operands(char *to, size_t size, const char *text)
{
	size_t at = 0;

	for (; *text && at + 8 < size; text++)
		if (*text == '%' && text[1] >= '0' && text[1] <= '3')
			at += (size_t)snprintf(to + at, size - at, "%%x%c", *++text);
		else
			to[at++] = *text;
	to[at] = '\0';
}

/* A kernel that loads its sources, runs the text and stores the destination, one thread a case. */
static void write_kernel(char *to, size_t size, const struct instruction *instruction)
{
	size_t at = 0, sources = strlen(instruction->shape) - 1;
	char body[1024];

	put_operands(body, sizeof body, instruction->text);
	at += (size_t)snprintf(to + at, size - at,
			".version 8.6\n.target sm_90\n.address_size 64\n"
			".visible .entry test(.param .u64 out, .param .u64 in)\n{\n"
			".reg .pred %%p, %%q;\n.reg .b32 %%t;\n.reg .b64 %%o, %%i, %%n, %%z;\n.reg .b32 %%c, %%d;\n");
	for (size_t i = 0; i <= sources; i++)
		at += (size_t)snprintf(to + at, size - at, ".reg .b%u %%x%zu;\n", bits_of(instruction->shape[i]), i);
	at += (size_t)snprintf(to + at, size - at, "ld.param.u64 %%o, [out];\nld.param.u64 %%i, [in];\n"
			"mov.u32 %%c, %%ctaid.x;\nmov.u32 %%d, %%ntid.x;\nmov.u32 %%t, %%tid.x;\n"
			"mad.lo.u32 %%t, %%c, %%d, %%t;\nmad.wide.u32 %%o, %%t, 8, %%o;\n"
			"mad.wide.u32 %%i, %%t, 24, %%i;\n");
	for (size_t i = 1; i <= sources; i++)
		at += (size_t)snprintf(to + at, size - at, "ld.global.b%u %%x%zu, [%%i+%zu];\n",
				bits_of(instruction->shape[i]), i, (i - 1) * 8);
	snprintf(to + at, size - at, "mov.u64 %%z, 0;\nst.global.u64 [%%o], %%z;\nmov.b%u %%x0, 0;\n%s\n"
			"st.global.b%u [%%o], %%x0;\nret;\n}\n", bits_of(instruction->shape[0]), body,
			bits_of(instruction->shape[0]));
}

static uint64_t cut(uint64_t value, char letter)
{
	return letter == 'd' ? value : value & ((UINT64_C(1) << bits_of(letter)) - 1);
}

static void compare(const struct instruction *instruction, const uint64_t *in, const uint64_t *out)
{
	const char *shape = instruction->shape;
	size_t sources = strlen(shape) - 1;

	for (unsigned i = 0; i < CASES; i++) {
		uint64_t x[3] = { 0, 0, 0 }, wanted;

		for (size_t k = 0; k < sources; k++)
			x[k] = cut(in[i * 3 + k], shape[k + 1]);
		wanted = cut(instruction->host(x[0], x[1], x[2]), shape[0]);
		if (out[i] == wanted)
			continue;
		tap_diag("0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ": wanted 0x%" PRIx64 ", seen 0x%" PRIx64, x[0],
				x[1], x[2], wanted, out[i]);
		tap_ok(false, "%s gives what the host computes", instruction->text);
		return;
	}
	tap_ok(true, "%s gives what the host computes", instruction->text);
}

static void test_one(const struct instruction *instruction, const uint64_t *in, instruction_run *run, void *context)
{
	static uint64_t out[CASES];
	char text[4096];

	write_kernel(text, sizeof text, instruction);
	if (run(context, out, text, in))
		compare(instruction, in, out);
	else
		tap_ok(false, "%s runs", instruction->text);
}

static void test_rows(const struct instruction *instructions, enum instruction_inputs inputs, instruction_run *run,
		void *context)
{
	uint64_t *in = malloc(CASES * 3 * sizeof *in), state = 88172645463325252u;

	if (!in)
		tap_bail_out("out of memory");
	for (; instructions->text; instructions++) {
		for (unsigned i = 0; i < CASES * 3; i++)
			in[i] = input(inputs, &state);
		test_one(instructions, in, run, context);
	}
	free(in);
}

void instruction_test_all(instruction_run *run, void *context)
{
	test_rows(instruction_arithmetic, INPUTS_INTEGER, run, context);
	test_rows(instruction_logic, INPUTS_INTEGER, run, context);
	test_rows(instruction_conversions, INPUTS_INTEGER, run, context);
	test_rows(instruction_f32, INPUTS_F32, run, context);
	test_rows(instruction_f64, INPUTS_F64, run, context);
	test_rows(instruction_f16, INPUTS_F16, run, context);
	test_rows(instruction_bf16, INPUTS_BF16, run, context);
}
