/* SPDX-License-Identifier: MIT
 *
 * Element-aligned pointers are all that a caller promises: every pair of offsets 0 to 31, short counts, types that
 * widen and narrow, with guard elements on both sides of every result.
 */
#include <stdlib.h>
#include <string.h>

#include "../device.h"

#define OFFSETS 32
#define MOST    64               /* elements of the longest scan */
#define SLOT    (32 + MOST + 32) /* elements of an output slot: offset, results, guard */

struct board {
	struct test_device device;
	struct srt_workspace workspace;
	const struct srt_kernel *kernel;
	struct reference reference;
	struct test_buffer in;  /* OFFSETS copies of the input, the i-th one off by i elements */
	struct test_buffer out; /* a slot a launch */
	unsigned char *seen;
	struct launch *launches;
	unsigned count;
};

struct launch {
	uint32_t skip_in;
	uint32_t skip_out;
	uint32_t count;
};

static size_t in_size(const struct board *board)
{
	return srt_type_size(board->kernel->problem.input_type);
}

static size_t out_size(const struct board *board)
{
	return srt_type_size(board->kernel->problem.output_type);
}

static void upload_copies(struct board *board)
{
	size_t size = in_size(board);

	test_buffer_create(&board->in, &board->device, OFFSETS * SLOT * size, 0);
	for (unsigned i = 0; i < OFFSETS; i++)
		test_upload(
			&board->device, board->in.address + (i * SLOT + i) * size, board->reference.input, MOST * size);
}

static void launch_all(struct board *board)
{
	for (unsigned i = 0; i < board->count; i++) {
		const struct launch *launch = &board->launches[i];
		uint64_t in = board->in.address + (launch->skip_in * SLOT + launch->skip_in) * in_size(board);
		uint64_t out = board->out.address + ((uint64_t)i * SLOT + launch->skip_out) * out_size(board);

		test_need(srt_kernel_launch(
			board->kernel, board->device.driver, &board->workspace, out, in, launch->count, 0, NULL));
	}
	test_synchronize(&board->device);
}

static bool is_poison(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != TEST_POISON)
			return false;
	}
	return true;
}

static bool slot_is_right(const struct board *board, unsigned index)
{
	const struct launch *launch = &board->launches[index];
	size_t size = out_size(board);
	const unsigned char *slot = board->seen + (size_t)index * SLOT * size;
	const unsigned char *end = slot + (launch->skip_out + launch->count) * size;
	struct test_scan scan = { &board->reference, board->kernel, &board->workspace, launch->count, launch->skip_in,
		launch->skip_out, false, 0 };

	if (!test_results_pass(&scan, slot + launch->skip_out * size))
		return false;
	if (is_poison(slot, launch->skip_out * size) && is_poison(end, (size_t)(slot + SLOT * size - end)))
		return true;
	tap_diag("written outside the output: in +%u out +%u count %u", launch->skip_in, launch->skip_out,
		launch->count);
	return false;
}

static bool all_slots_are_right(struct board *board)
{
	bool are_right = test_guards_intact(&board->out, &board->device);
	unsigned failures = 0;

	test_download(&board->device, board->seen, board->out.address, board->out.size);
	for (unsigned i = 0; i < board->count && failures < 5; i++)
		failures += !slot_is_right(board, i);
	return are_right && failures == 0;
}

/* Every pair of offsets; the counts 1 to MOST take turns, so that with 1024 pairs each is met 16 times. */
static void choose_launches(struct board *board)
{
	struct test_random random = { board->device.seed, 0 };

	board->count = test_rounds(&board->device, OFFSETS * OFFSETS * 4, 96);
	board->launches = calloc(board->count, sizeof(*board->launches));
	if (!board->launches)
		abort();
	for (unsigned i = 0; i < board->count; i++) {
		unsigned pair = test_is_small(&board->device) ? (unsigned)test_draw(&random, OFFSETS * OFFSETS) : i;

		board->launches[i].skip_in = pair % OFFSETS;
		board->launches[i].skip_out = pair / OFFSETS % OFFSETS;
		board->launches[i].count = 1 + (unsigned)test_draw(&random, MOST);
	}
}

static void check(struct board *board, const char *variant, int input, int accumulator, int output)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct srt_strbuf name = { 0 };

	test_problem(&problem, SCANRT_SUM, input, accumulator, output, false);
	test_kernel_create(&kernel, &board->device, &problem, variant);
	board->kernel = &kernel;
	reference_create(&board->reference, &problem, REFERENCE_EXACT, board->device.seed, MOST);
	upload_copies(board);
	test_buffer_create(&board->out, &board->device, (uint64_t)board->count * SLOT * out_size(board), 0);
	board->seen = malloc(board->out.size);
	if (!board->seen)
		abort();
	launch_all(board);
	srt_problem_format(&name, &problem, false);
	tap_ok(all_slots_are_right(board),
		"B068 B069 B071: %s by %s is right at offsets of 0 to 31 elements and keeps to "
		"its output",
		srt_strbuf_text(&name), variant);
	srt_strbuf_free(&name);
	free(board->seen);
	test_buffer_destroy(&board->out, &board->device);
	test_buffer_destroy(&board->in, &board->device);
	reference_destroy(&board->reference);
	test_kernel_destroy(&kernel, &board->device);
}

static const char *const variants[] = { "block,block=32,items=16", "block,block=64,items=16,warp=shared",
	"lookback,block=32,items=16", "lookahead,block=32,items=16,stages=2,ahead=1" };

static void check_types(struct board *board, const char *variant)
{
	check(board, variant, SCANRT_I32, SCANRT_I64, SCANRT_I64);
	check(board, variant, SCANRT_I8, SCANRT_I32, SCANRT_I32);
	check(board, variant, SCANRT_I64, SCANRT_I64, SCANRT_I64);
	check(board, variant, SCANRT_U8, SCANRT_U8, SCANRT_U8);
	check(board, variant, SCANRT_I16, SCANRT_I16, SCANRT_I16);
	if (test_is_small(&board->device))
		return;
	check(board, variant, SCANRT_I8, SCANRT_I64, SCANRT_I64);
	check(board, variant, SCANRT_I32, SCANRT_I32, SCANRT_I32);
	check(board, variant, SCANRT_I64, SCANRT_I64, SCANRT_I8);
	check(board, variant, SCANRT_I32, SCANRT_I32, SCANRT_I16);
	check(board, variant, SCANRT_F16, SCANRT_F32, SCANRT_F16);
	check(board, variant, SCANRT_F32, SCANRT_F64, SCANRT_F64);
	check(board, variant, SCANRT_F64, SCANRT_F64, SCANRT_BF16);
}

int main(void)
{
	struct board board = { 0 };

	test_device_open(&board.device);
	test_workspace_create(&board.workspace, &board.device, 4096);
	choose_launches(&board);
	tap_plan(0);
	for (unsigned i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		check_types(&board, variants[i]);
	free(board.launches);
	srt_workspace_destroy(&board.workspace, board.device.driver);
	test_device_close(&board.device);
	return tap_done();
}
