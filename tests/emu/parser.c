/* SPDX-License-Identifier: MIT
 *
 * Modules that are wrong: each is refused with the line and the reason, and no text at all makes the parser fall.
 */
#include "tests/emu/machine.h"

#include <stdlib.h>
#include <string.h>

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define ENTRY HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.reg .pred %p<2>;\n"

static const struct {
	const char *name, *text;
	unsigned line;
	const char *part;
} wrong[] = {
	{ "a text that is no PTX", "int main(void) { return 0; }", 1, "starts with .version" },
	{ "an empty text", "", 1, "needs .version and .target" },
	{ "a version from the future", ".version 99.0\n", 1, "PTX version 99.0 is not known" },
	{ "a target that is none", ".version 9.0\n.target gfx90\n", 2, "target 'gfx90' is not known" },
	{ "addresses of 32 bits", ".version 9.0\n.target sm_90\n.address_size 32\n", 3, "only .address_size 64" },
	{ "an instruction that does not exist", ENTRY "add.s32 %r1, %r2, %r3;\nfrobnicate.u32 %r1, %r2;\n}\n", 10,
		"instruction frobnicate.u32 is not known" },
	{ "a modifier that does not exist", ENTRY "ld.global.fast.u32 %r1, [%d1];\n}\n", 9, "'.fast'" },
	{ "a register that is not declared", ENTRY "add.s32 %r1, %r2, %r9;\n}\n", 9, "register %r9 is not known" },
	{ "a register of the wrong width", ENTRY "add.s32 %r1, %r2, %d3;\n}\n", 9, "wrong kind or width" },
	{ "an operand too few", ENTRY "add.s32 %r1, %r2;\n}\n", 9, "wrong kind or width" },
	{ "an operand too many", ENTRY "add.s32 %r1, %r2, %r3, %r3;\n}\n", 9, "wrong number of operands" },
	{ "a label that is nowhere", ENTRY "bra L;\n}\n", 9, "label L is not defined" },
	{ "a label twice", ENTRY "L:\nL:\n}\n", 10, "label L is defined twice" },
	{ "a body without end", ENTRY "ret;\n", 10, "'}' expected" },
	{ "a semicolon that is missing", ENTRY "mov.u32 %r1, %r2\nret;\n}\n", 10, "expected before 'ret'" },
	{ "a pragma without end", ENTRY ".pragma \"used_bytes_mask 7\"", 9, "';' expected" },
	{ "a pragma without a text", ENTRY ".pragma", 9, "';' expected" },
	{ "a function that is called and not defined", HEAD ".func f;\n.visible .entry k()\n{\ncall "
		"f;\nret;\n}\n", 10,
		"function f is declared but not defined" },
	{ "a variable that is declared only", HEAD ".extern .global .u32 v;\n", 5, "variable v is declared "
		"but not defined" },
	{ "an array without end", HEAD ".global .u32 v[99999999999];\n", 4, "not supported" },
	{ "too many initial values", HEAD ".global .u32 v[2] = { 1, 2, 3 };\n", 4, "too many initial values" },
	{ "a vector of the wrong length", ENTRY "ld.global.v4.u32 { %r1, %r2 }, [%d1];\n}\n", 9, "vector of "
		"another length" },
	{ "a number that is none", ENTRY "mov.u32 %r1, 0xzz;\n}\n", 9, "a number is expected" },
	{ "registers beyond all measure", HEAD ".visible .entry k()\n{\n.reg .b32 %r<4000000000>;\n}\n", 6,
		"needs a number" },
};

static void test_wrong(void)
{
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct emu_module *module;
		struct emu_error error;
		CUresult code = emu_module_parse(&module, wrong[i].text, strlen(wrong[i].text), &error);

		tap_case("%s", wrong[i].name);
		tap_ok(code != CUDA_SUCCESS && !module, "%s is refused", wrong[i].name);
		tap_is_uint(error.line, wrong[i].line, "%s is refused at its line", wrong[i].name);
		tap_contains(error.text, wrong[i].part, "%s is refused with the reason", wrong[i].name);
		emu_module_destroy(module);
	}
	tap_case("%s", "");
}

static const char sample[] =
	HEAD ".extern .shared .align 16 .b8 dynamic[];\n.const .align 4 .b8 table[12] = { 1, 2, 3 };\n"
		".func (.param .b32 r) f(.param .b32 x)\n{\n.reg .b32 %a<3>;\nld.param.u32 %a1, "
		"[x];\nst.param.b32 [r], %a1;\nret;\n}\n"
	".global .u64 pointers[2] = { generic(table), f };\n"
	".visible .entry k(.param .u64 p, .param .align 8 .b8 q[24])\n.maxntid 128, 1, 1\n{\n.reg .b16 %h<4>;\n"
	".reg .b32 %r<9>;\n.reg .b64 %d<5>;\n.reg .b128 %q;\n.reg .pred %p<3>;\n.shared .align 8 .b64 "
	"b[4];\n.local .b32 l[8];\n"
	"mov.u32 %r1, %tid.x;\nld.param.u64 %d1, [p];\nsetp.lt.and.s32 %p1|%p2, %r1, 5, !%p2;\n@!%p1 bra L;\n"
	"ld.global.v4.u32 { %r2, %r3, _, %r5 }, [%d1+16];\nmad.wide.u32 %d2, %r2, %r3, %d1;\n// @scan_apply\n"
	"{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 c; call.uni (c), f, (a); ld.param.b32 %r2, [c]; }\n"
	"{ .reg .pred w; W: mbarrier.try_wait.parity.shared.b64 w, [b], 0; @!w bra W; }\nL: bar.sync 0;\n"
	"shfl.sync.up.b32 %r4|%p1, %r1, 1, 0, 0xffffffff;\nT: .branchtargets L, E;\nbrx.idx %r4, T;\n"
	"E: mov.b64 { %r6, %r7 }, %d2;\nlop3.b32 %r8, %r1, %r2, %r3, 0x96;\ncvt.rn.f16.f32 %h1, 0f3f800000;\n"
	"mov.b128 %q, { %d1, %d2 };\natom.global.add.u64 %d3, [%d1], 1;\nmov.u64 %d4, l;\nst.local.u32 "
	"[%d4+4], %r1;\n"
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dynamic], [%d1], 128, [b];\n"
	"cp.async.cg.shared.global [dynamic+16], [%d1], 16;\nselp.b32 %r1, 1, 2, %p1;\nret;\n}\n";

/* Takes out, doubles, exchanges or spoils a piece of the text. */
static size_t mutate(char *text, size_t length, size_t room, uint64_t *state)
{
	uint64_t bits = machine_random(state);
	size_t at = (size_t)(bits % length), piece = (size_t)(bits >> 20) % 24 + 1,
		from = (size_t)(bits >> 32) % length;

	if (piece > length - at)
		piece = length - at;
	switch (bits >> 61) {
	case 0: case 1:
		memmove(text + at, text + at + piece, length - at - piece);
		return length - piece;
	case 2: case 3:
		if (length + piece > room)
			return length;
		memmove(text + at + piece, text + at, length - at);
		return length + piece;
	case 4: case 5:
		memmove(text + at, text + from, piece < length - from ? piece : length - from);
		return length;
	case 6:
		text[at] = (char)(bits >> 40);
		return length;
	default:
		text[at] = "0123456789%.[]{}()<>,;:@!+-_|="[(bits >> 40) % 30];
		return length;
	}
}

/* True where the parser either takes the text or tells why not, at a line of it. */
static bool survives(const char *text, size_t length, unsigned *taken)
{
	struct emu_module *module;
	struct emu_error error;
	unsigned lines = 1;
	CUresult code = emu_module_parse(&module, text, length, &error);

	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	*taken += code == CUDA_SUCCESS;
	emu_module_destroy(module);
	return code == CUDA_SUCCESS ? module != NULL : error.text[0] && error.line >= 1 && error.line <= lines;
}

#define MUTANTS 20000

static void test_mutants(void)
{
	size_t room = 2 * sizeof sample, length;
	uint64_t state = 4711;
	unsigned taken = 0, wrong_ones = 0;
	struct emu_module *module;
	struct emu_error error;
	char *text = malloc(room);

	if (!text)
		tap_bail_out("out of memory");
	emu_module_parse(&module, sample, strlen(sample), &error);
	emu_module_destroy(module);
	tap_is_string(error.text, "", "the text that mutants are made of has no fault");
	tap_ok(survives(sample, strlen(sample), &taken) && taken == 1, "the text that mutants are made of is taken");
	for (unsigned i = 0; i < MUTANTS; i++) {
		memcpy(text, sample, sizeof sample);
		length = strlen(sample);
		for (uint64_t n = machine_random(&state) % 6 + 1; n > 0 && length > 0; n--)
			length = mutate(text, length, room, &state);
		wrong_ones += !survives(text, length, &taken);
	}
	free(text);
	tap_diag("%u of %u mutants were taken", taken, MUTANTS);
	tap_is_uint(wrong_ones, 0, "%u spoilt texts are taken or refused with a line", MUTANTS);
}

int main(void)
{
	tap_plan(0);
	test_wrong();
	test_mutants();
	return tap_done();
}
