/* SPDX-License-Identifier: MIT
 *
 * What the emulated machine counts of shared memory, barriers and marks, for accesses whose costs can be told by hand:
 * 32 banks of 4 bytes; lanes that want one word get it together; accesses of 8 bytes go by half warps and those of 16
 * by quarters, so that a pass never moves more than 128 bytes.
 */
#include "tests/emu/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct access {
	const char *what;
	const char *instruction; /* on [%address], with %r<4>, %d<2> and %p for its values */
	unsigned stride;         /* bytes from lane to lane */
	unsigned lanes;          /* that take part */
	uint64_t loads, stores, conflicts;
};

static const struct access accesses[] = {
	{ "words one after the other", "ld.volatile.shared.u32 %r0, [%address];", 4, 32, 32, 0, 0 },
	{ "every second word", "ld.volatile.shared.u32 %r0, [%address];", 8, 32, 32, 0, 1 },
	{ "every third word", "ld.volatile.shared.u32 %r0, [%address];", 12, 32, 32, 0, 0 },
	{ "every fourth word", "ld.volatile.shared.u32 %r0, [%address];", 16, 32, 32, 0, 3 },
	{ "every eighth word", "ld.volatile.shared.u32 %r0, [%address];", 32, 32, 32, 0, 7 },
	{ "every sixteenth word", "ld.volatile.shared.u32 %r0, [%address];", 64, 32, 32, 0, 15 },
	{ "one bank", "ld.volatile.shared.u32 %r0, [%address];", 128, 32, 32, 0, 31 },
	{ "33 words apart", "ld.volatile.shared.u32 %r0, [%address];", 132, 32, 32, 0, 0 },
	{ "one word for all", "ld.volatile.shared.u32 %r0, [%address];", 0, 32, 32, 0, 0 },
	{ "every second word by half a warp", "ld.volatile.shared.u32 %r0, [%address];", 8, 16, 16, 0, 0 },
	{ "every second word by one lane more", "ld.volatile.shared.u32 %r0, [%address];", 8, 17, 17, 0, 1 },
	{ "one bank by three lanes", "ld.volatile.shared.u32 %r0, [%address];", 128, 3, 3, 0, 2 },
	{ "bytes one after the other", "ld.volatile.shared.u8 %r0, [%address];", 1, 32, 32, 0, 0 },
	{ "every second byte", "ld.volatile.shared.u8 %r0, [%address];", 2, 32, 32, 0, 0 },
	{ "bytes of one bank", "ld.volatile.shared.u8 %r0, [%address];", 128, 32, 32, 0, 31 },
	{ "halves of every second word", "ld.volatile.shared.u16 %r0, [%address];", 8, 32, 32, 0, 1 },
	{ "8 bytes one after the other", "ld.volatile.shared.u64 %d0, [%address];", 8, 32, 64, 0, 0 },
	{ "every second 8 bytes", "ld.volatile.shared.u64 %d0, [%address];", 16, 32, 64, 0, 2 },
	{ "every third 8 bytes", "ld.volatile.shared.u64 %d0, [%address];", 24, 32, 64, 0, 0 },
	{ "8 bytes of two banks", "ld.volatile.shared.u64 %d0, [%address];", 128, 32, 64, 0, 30 },
	{ "the same 8 bytes for all", "ld.volatile.shared.u64 %d0, [%address];", 0, 32, 64, 0, 0 },
	{ "pairs of words", "ld.volatile.shared.v2.u32 {%r0, %r1}, [%address];", 16, 32, 64, 0, 2 },
	{ "16 bytes one after the other", "ld.volatile.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%address];", 16, 32, 128,
		0, 0 },
	{ "every second 16 bytes", "ld.volatile.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%address];", 32, 32, 128, 0, 4 },
	{ "16 bytes of four banks", "ld.volatile.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%address];", 128, 32, 128, 0,
		28 },
	{ "stores of every second word", "st.volatile.shared.u32 [%address], %r0;", 8, 32, 0, 32, 1 },
	{ "stores of every fourth word by 24 lanes", "st.volatile.shared.u32 [%address], %r0;", 16, 24, 0, 24, 2 },
	{ "atomic additions to neighbours", "atom.shared.add.u32 %r0, [%address], 1;", 4, 32, 32, 32, 0 },
	{ "atomic additions to every second word", "atom.shared.add.u32 %r0, [%address], 1;", 8, 32, 32, 32, 1 },
};

/* One warp fills 4 KB and the access's lanes then do what it says. */
static const char kernel[] =
	".visible .entry k(.param .u32 stride, .param .u32 lanes)\n{\n"
	"\t.reg .u32 %%address, %%i, %%t, %%n, %%r<4>;\n\t.reg .u64 %%d<2>;\n\t.reg .pred %%p;\n"
	"\t.shared .align 16 .b8 slots[4608];\n"
	"\tmov.u32 %%t, %%tid.x;\n\tmov.u32 %%r0, 0;\n\tmov.u32 %%i, slots;\n\tmad.lo.u32 %%address, %%t, 4, %%i;\n"
	"\tmov.u32 %%i, 0;\nfill:\n\tst.shared.u32 [%%address], %%r0;\n\tadd.u32 %%address, %%address, 128;\n"
	"\tadd.u32 %%i, %%i, 1;\n\tsetp.lt.u32 %%p, %%i, 36;\n\t@%%p bra fill;\n"
	"\tbar.sync 0;\n"
	"\tld.param.u32 %%n, [lanes];\n\tsetp.ge.u32 %%p, %%t, %%n;\n\t@%%p bra done;\n"
	"\tld.param.u32 %%n, [stride];\n\tmov.u32 %%i, slots;\n\tmad.lo.u32 %%address, %%t, %%n, %%i;\n"
	"\t%s\n"
	"done:\n\tret;\n}\n";
#define FILLED 1152 /* words that the filling writes */

static struct emu_counters run(const char *text, unsigned grid, unsigned block, unsigned first, unsigned second)
{
	struct emu_machine *machine = machine_open();
	struct emu_module *module = machine_load_ptx(machine, text);
	struct machine_launch launch = { .module = module, .grid = grid, .block = block,
		.parameter = { first, second } };
	struct emu_result result;

	if (machine_run(&result, machine, &launch) != CUDA_SUCCESS)
		tap_bail_out("%s: %s", text, result.text);
	emu_module_destroy(module);
	emu_machine_destroy(machine);
	return result.counters;
}

static void test_access(const struct access *access)
{
	struct emu_counters seen;
	char text[2048];

	snprintf(text, sizeof(text), kernel, access->instruction);
	seen = run(text, 1, 32, access->stride, access->lanes);
	tap_case("%s: %s", access->what, access->instruction);
	tap_is_uint(seen.shared_load_words, access->loads, "%s: %" PRIu64 " words are read", access->what,
		access->loads);
	tap_is_uint(seen.shared_store_words - FILLED, access->stores, "%s: %" PRIu64 " are written", access->what,
		access->stores);
	tap_is_uint(seen.shared_conflicts, access->conflicts, "%s: banks force %" PRIu64 " passes more", access->what,
		access->conflicts);
	tap_case("%s", "");
}

static const char marks[] =
	".visible .entry k(.param .u32 lanes, .param .u32 times)\n{\n"
	"\t.reg .u32 %i, %t, %n, %m;\n\t.reg .pred %p;\n"
	"\tld.param.u32 %n, [lanes];\n\tld.param.u32 %m, [times];\n\tmov.u32 %t, %tid.x;\n\tmov.u32 %i, 0;\n"
	"again:\n\tbar.sync 0;\n\tbar.warp.sync 0xffffffff;\n"
	"\tsetp.ge.u32 %p, %t, %n;\n\t@%p bra over;\n"
	"%s"
	"over:\n\tadd.u32 %i, %i, 1;\n\tsetp.lt.u32 %p, %i, %m;\n\t@%p bra again;\n"
	"\tret;\n}\n";

/* The kernel with the mark and without it. */
static void test_marks(void)
{
	struct emu_counters plain, marked;
	char text[2048];
	const char *hole = strstr(marks, "%s");

	snprintf(text, sizeof(text), "%.*s%s", (int)(hole - marks), marks, hole + 2);
	plain = run(text, 3, 96, 70, 5);
	snprintf(text, sizeof(text), "%.*s\t// begin inline asm\n\t// @scan_apply\n\t// end inline asm\n%s",
		(int)(hole - marks), marks, hole + 2);
	marked = run(text, 3, 96, 70, 5);
	tap_is_uint(plain.applies, 0, "without a mark nothing counts as an application");
	tap_is_uint(marked.applies, 3 * 70 * 5, "a mark counts for each lane that passes it, each time");
	tap_is_uint(marked.barriers, 3 * 5, "a barrier of a block counts once for the block, each time");
	tap_is_uint(marked.warp_barriers, 3 * 3 * 5, "a barrier of a warp counts once for the warp, each time");
	tap_is_uint(marked.lane_instructions, plain.lane_instructions, "a mark is no instruction of a lane");
	tap_is_uint(marked.warp_instructions, plain.warp_instructions, "nor of a warp");
}

int main(void)
{
	tap_plan(0);
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++)
		test_access(&accesses[i]);
	test_marks();
	return tap_done();
}
