/* SPDX-License-Identifier: MIT
 *
 * The same bits wherever the arrays lie: addresses decide how a slice is loaded, moved, scanned and stored, but not the
 * order of combination.  Strategies whose order is fixed, at offsets of some elements of input and output from where
 * vectors begin, and in place; the last tile is not full.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../bits.h"

#define ALL_OFFSETS 4  /* elements; so many of either array in all combinations */
#define MOST_OFFSETS 16 /* those of bytes */
#define LINE_BYTES 128  /* bulk copies go by the places modulo this */

struct alignment_case {
	const char *variant;
	int types[3];
	bool is_exclusive; /* with an initial value */
	int op;            /* or 0: sums */
};

static const struct alignment_case cases[] = {
	{ "lookahead,block=64,items=12,stages=4,ahead=2,gather=2,store=stream", { SCANRT_F32, SCANRT_F32, SCANRT_F32 },
		false, 0 },
	{ "lookahead,block=64,items=12,stages=4,ahead=2,gather=2,store=bulk", { SCANRT_F32, SCANRT_F32, SCANRT_F32 },
		false, 0 },
	{ "lookahead,block=96,items=20,stages=3,ahead=1,store=stream", { SCANRT_F32, SCANRT_F32, SCANRT_F32 },
		true, 0 },
	{ "lookahead,block=96,items=20,stages=3,ahead=1,store=bulk", { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, true, 0 },
	{ "lookahead,block=32,items=24,stages=2,ahead=1,store=stream", { SCANRT_F16, SCANRT_F32, SCANRT_F16 },
		false, 0 },
	{ "lookahead,block=32,items=24,stages=2,ahead=1,store=bulk", { SCANRT_F16, SCANRT_F32, SCANRT_F16 }, false, 0 },
	{ "lookahead,block=96,items=12,stages=4,ahead=2,store=bulk", { SCANRT_F16, SCANRT_F32, SCANRT_F32 }, false, 0 },
	{ "lookahead,block=64,items=20,stages=3,ahead=1,store=bulk", { SCANRT_U8, SCANRT_F32, SCANRT_F32 }, true, 0 },
	{ "lookahead,block=64,items=6,stages=3,ahead=1,store=bulk", { SCANRT_F32, SCANRT_F64, SCANRT_F64 }, false, 0 },
	/* Lanes whose elements are no whole words. */
	{ "lookahead,block=32,items=6,stages=3,ahead=1,store=bulk", { SCANRT_U8, SCANRT_F64, SCANRT_F64 }, false, 0 },
	{ "lookahead,block=64,items=10,stages=3,ahead=2,store=bulk", { SCANRT_F64, SCANRT_F64, SCANRT_F16 }, true, 0 },
	{ "lookahead,block=64,items=12,stages=3,ahead=1,store=bulk", { SCANRT_F32, SCANRT_F32, SCANRT_F16 }, false, 0 },
	/* Narrow results: a word for a vector of elements, two words, and less than one. */
	{ "lookahead,block=64,items=12,stages=3,ahead=1,store=bulk", { SCANRT_I32, SCANRT_I32, SCANRT_U8 }, false, 0 },
	{ "lookahead,block=32,items=24,stages=3,ahead=2,store=bulk", { SCANRT_I16, SCANRT_I32, SCANRT_I8 }, true, 0 },
	{ "lookahead,block=64,items=6,stages=3,ahead=1,store=bulk", { SCANRT_I64, SCANRT_I64, SCANRT_I8 }, false, 0 },
	{ "lookahead,block=64,items=48,stages=3,ahead=2,store=bulk", { SCANRT_I8, SCANRT_I8, SCANRT_I8 }, false,
		SCANRT_MAX },
	{ "lookahead,block=64,items=16,stages=3,ahead=1,store=bulk", { SCANRT_U8, SCANRT_U8, SCANRT_U8 }, true,
		SCANRT_MIN },
	{ "lookahead,block=96,items=24,stages=3,ahead=1,store=bulk", { SCANRT_U16, SCANRT_U16, SCANRT_U16 }, false,
		SCANRT_MAX },
	{ "lookahead,block=32,items=8,stages=3,ahead=1,store=bulk", { SCANRT_I16, SCANRT_I16, SCANRT_I16 }, true,
		SCANRT_MIN },
	{ "lookahead,block=32,items=40,stages=3,ahead=1,store=bulk", { SCANRT_F16, SCANRT_F16, SCANRT_F16 }, true,
		SCANRT_MIN },
	{ "lookahead,block=64,items=24,stages=3,ahead=1,store=bulk", { SCANRT_BF16, SCANRT_BF16, SCANRT_BF16 }, false,
		SCANRT_MAX },
	{ "lookahead,block=32,items=24,stages=3,ahead=2,store=bulk", { SCANRT_F16, SCANRT_F16, SCANRT_F16 }, false, 0 },
	{ "lookahead,block=64,items=8,stages=3,ahead=1,store=bulk", { SCANRT_BF16, SCANRT_BF16, SCANRT_BF16 }, true,
		0 },
	{ "lookahead,block=64,items=48,stages=3,ahead=1,store=bulk", { SCANRT_I8, SCANRT_I8, SCANRT_I8 }, true, 0 },
	{ "lookahead,block=32,items=24,stages=3,ahead=1,store=bulk", { SCANRT_U16, SCANRT_U16, SCANRT_U16 }, false, 0 },
	{ "lookahead,block=64,items=6,stages=3,ahead=1,store=bulk", { SCANRT_F64, SCANRT_F64, SCANRT_F64 }, false, 0 },
	{ "lookahead,block=32,items=6,stages=3,ahead=2,store=bulk", { SCANRT_F32, SCANRT_F64, SCANRT_F64 }, true,
		SCANRT_MIN },
	{ "cluster,block=128,items=4", { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, false, 0 },
	{ "reduce,block=64,items=12", { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, false, 0 },
	{ "fan,block=64,items=12", { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, false, 0 },
};

struct alignment {
	struct test_device device;
	struct srt_workspace workspace;
	struct test_bits bits;
	uint64_t in_bytes, out_bytes;
	uint64_t count; /* of the scan; the reference has at least as many */
};

/* From one end of the type's values to the other, with small steps back and forth. */
static void set_trend(struct element *value, int type, int op, uint64_t i, uint64_t count)
{
	uint64_t span = ((UINT64_C(1) << (8 * srt_type_size(type) - 2)) - 1) * 3;
	uint64_t at = (op == SCANRT_MAX ? i : count - 1 - i) * span / count + value->integer % 4;

	/* Signed types begin below zero. */
	value->integer = type == SCANRT_I8 || type == SCANRT_I16 ? at - span / 2 : at;
	value->high += (op == SCANRT_MAX ? 1 : -1) * (double)i / 64;
}

/* No sum is too large for 16 bits.  Extremes change all the way to the end, and so do integers. */
static void fill(void *input, int type, int op, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct element value = test_bits_element(i);

		value.integer = reference_random(i, 1) >> 8;
		if (op)
			set_trend(&value, type, op, i, count);
		element_store(type, input, i, value);
	}
}

static void begin(struct alignment *alignment, const struct alignment_case *at, uint64_t count)
{
	struct srt_problem problem;
	void *input = malloc(count * 8);

	if (!input)
		abort();
	test_problem(&problem, at->op ? at->op : SCANRT_SUM, at->types[0], at->types[1], at->types[2],
		at->is_exclusive);
	if (at->is_exclusive)
		test_problem_set_initial(&problem, 1);
	fill(input, at->types[0], at->op, count);
	alignment->in_bytes = srt_type_size(at->types[0]);
	alignment->out_bytes = srt_type_size(at->types[2]);
	alignment->count = count;
	test_bits_create(&alignment->bits, &alignment->device, &problem, at->variant, input, count,
		2 * LINE_BYTES);
	free(input);
}

static void launch_at(struct alignment *alignment, void *results, unsigned in_offset, unsigned out_offset,
	bool is_in_place)
{
	const struct test_device *device = &alignment->device;
	uint64_t count = alignment->count;
	CUdeviceptr in = alignment->bits.in.address + in_offset * alignment->in_bytes;
	CUdeviceptr out = is_in_place ? in : alignment->bits.out.address + out_offset * alignment->out_bytes;

	test_buffer_poison(&alignment->bits.in, device);
	test_buffer_poison(&alignment->bits.out, device);
	test_upload(device, in, alignment->bits.reference.input, count * alignment->in_bytes);
	test_need(srt_kernel_launch(
		&alignment->bits.kernel, device->driver, &alignment->workspace, out, in, count, 0, NULL));
	test_synchronize(device);
	test_download(device, results, out, count * alignment->out_bytes);
}

static bool bits_are_same_at(struct alignment *alignment, unsigned in_offset, unsigned out_offset, bool is_in_place)
{
	uint64_t i = 0;

	tap_case("input at +%u, output at +%u%s", in_offset, out_offset, is_in_place ? ", in place" : "");
	launch_at(alignment, alignment->bits.later, in_offset, out_offset, is_in_place);
	tap_case(NULL);
	if (memcmp(alignment->bits.first, alignment->bits.later, alignment->count * alignment->out_bytes) == 0)
		return true;
	while (alignment->bits.first[i] == alignment->bits.later[i])
		i++;
	tap_diag("input at +%u, output at +%u%s: element %" PRIu64 " of %" PRIu64 " is the first that differs",
		in_offset, out_offset, is_in_place ? ", in place" : "", i / alignment->out_bytes, alignment->count);
	return false;
}

/* The results of fewer elements are the first ones of more: the last slice of all is scanned in the same order. */
static bool bits_are_same_of_fewer(struct alignment *alignment)
{
	uint64_t all = alignment->count;
	bool are_same = true;

	for (uint64_t less = 1; less < all / 2 && are_same; less = 3 * less + 4) {
		alignment->count = all - less;
		are_same = bits_are_same_at(alignment, (unsigned)(less % ALL_OFFSETS), 0, false);
	}
	alignment->count = all;
	return are_same;
}

/* The vectors of a line in which the arrays begin, and elements behind them. */
static bool bits_are_same_in_lines(struct alignment *alignment)
{
	static const unsigned places[][4] = { { 1, 0, 0, 0 }, { 0, 0, 3, 0 }, { 5, 0, 2, 0 }, { 7, 1, 7, 0 },
		{ 2, 0, 6, 1 }, { 4, 1, 1, 1 } };
	const unsigned in_vector = 16 / (unsigned)alignment->in_bytes, out_vector = 16 / (unsigned)alignment->out_bytes;
	bool are_same = true;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && are_same; i++)
		are_same = bits_are_same_at(alignment, places[i][0] * in_vector + places[i][1],
			places[i][2] * out_vector + places[i][3], false);
	return are_same;
}

static void check(struct alignment *alignment, const struct alignment_case *at, uint64_t count)
{
	struct test_scan scan = { &alignment->bits.reference, &alignment->bits.kernel, &alignment->workspace, count, 0,
		0, false, 0 };
	struct srt_strbuf name = { 0 };
	bool are_same = true;

	begin(alignment, at, count);
	srt_problem_format(&name, &alignment->bits.reference.problem, false);
	launch_at(alignment, alignment->bits.first, 0, 0, false);
	tap_ok(test_results_pass(&scan, alignment->bits.first),
		"%s by %s keeps its error bound at %" PRIu64 " elements", srt_strbuf_text(&name), at->variant, count);
	for (unsigned i = 0; i < ALL_OFFSETS * ALL_OFFSETS && are_same; i++)
		are_same = bits_are_same_at(alignment, i % ALL_OFFSETS, i / ALL_OFFSETS, false);
	/* Of narrow elements, all that there are, too. */
	for (unsigned i = ALL_OFFSETS; i < 16 / alignment->in_bytes && are_same; i++)
		are_same = bits_are_same_at(alignment, i, 0, false) && bits_are_same_at(alignment, 0, i, false) &&
			bits_are_same_at(alignment, i, (3 * i + 1) % MOST_OFFSETS, false);
	are_same = are_same && bits_are_same_in_lines(alignment);
	tap_ok(are_same, "B095: %s by %s gives the same bits wherever input and output begin", srt_strbuf_text(&name),
		at->variant);
	are_same = true;
	for (unsigned i = 0; i < ALL_OFFSETS && are_same && alignment->in_bytes == alignment->out_bytes; i++)
		are_same = bits_are_same_at(alignment, i % 2 * 48 / (unsigned)alignment->in_bytes + i, 0, true);
	tap_ok(are_same, "B095: and in place, where both have one size");
	tap_ok(bits_are_same_of_fewer(alignment), "and as the first of fewer elements");
	srt_strbuf_free(&name);
	test_bits_destroy(&alignment->bits, &alignment->device);
}

static bool can_run(const struct alignment *alignment, const struct alignment_case *at)
{
	return strncmp(at->variant, "cluster", 7) != 0 || alignment->device.facts.capability >= 90;
}

int main(void)
{
	struct alignment alignment = { 0 };
	uint64_t large;

	test_device_open(&alignment.device);
	tap_plan(0);
	large = test_cap(&alignment.device, 1000003);
	test_workspace_create(&alignment.workspace, &alignment.device, large);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t most = strncmp(cases[i].variant, "cluster", 7) == 0 ? 4001 : large;

		if (can_run(&alignment, &cases[i]))
			check(&alignment, &cases[i], large < most ? large : most);
	}
	srt_workspace_destroy(&alignment.workspace, alignment.device.driver);
	test_device_close(&alignment.device);
	return tap_done();
}
