/* SPDX-License-Identifier: MIT
 *
 * Counts beyond 2^31 and 2^32 elements.  The input repeats a block of random elements, so that the result of element
 * i + k P is that of element i, plus k times the sum of a block: the whole output is compared, a block at a time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../device.h"

#define PERIOD ((UINT64_C(1) << 24) + 13)

struct long_scan {
	struct test_device device;
	struct test_buffer in;
	struct test_buffer out;
	void *block;    /* one period of input */
	void *expected; /* its scan */
	void *seen;
	int type;
	uint64_t count;
};

static uint64_t in_period(const struct long_scan *scan, uint64_t first)
{
	return scan->count - first < PERIOD ? scan->count - first : PERIOD;
}

/* Small integers: an f64 holds every sum of 2^33 of them exactly. */
static void fill_period(struct long_scan *scan)
{
	for (uint64_t i = 0; i < PERIOD; i++) {
		uint64_t random = reference_random(11, i);
		struct element value = { random, (double)(random >> 56), 0 };

		element_store(scan->type, scan->block, i, value);
	}
}

static void upload_all(struct long_scan *scan)
{
	size_t size = srt_type_size(scan->type);

	for (uint64_t first = 0; first < scan->count; first += PERIOD)
		test_upload(&scan->device, scan->in.address + first * size, scan->block, in_period(scan, first) * size);
}

/* One comparison a type, in a loop that the compiler can vectorise: the output has billions of elements. */
#define DEFINE_FIND_WRONG(name, T) \
	static uint64_t name(const T *seen, const T *expected, T offset, uint64_t count) \
	{ \
		uint64_t i = 0; \
		while (i < count && seen[i] == (T)(expected[i] + offset)) \
			i++; \
		return i; \
	}
DEFINE_FIND_WRONG(find_wrong_u8, uint8_t)
DEFINE_FIND_WRONG(find_wrong_u32, uint32_t)
DEFINE_FIND_WRONG(find_wrong_f64, double)

static uint64_t find_wrong(const struct long_scan *scan, uint64_t turn, uint64_t count)
{
	switch (scan->type) {
	case SCANRT_I8:
		return find_wrong_u8(
			scan->seen, scan->expected, (uint8_t)(turn * ((uint8_t *)scan->expected)[PERIOD - 1]), count);
	case SCANRT_I32:
		return find_wrong_u32(
			scan->seen, scan->expected, (uint32_t)(turn * ((uint32_t *)scan->expected)[PERIOD - 1]), count);
	default:
		return find_wrong_f64(
			scan->seen, scan->expected, (double)turn * ((double *)scan->expected)[PERIOD - 1], count);
	}
}

static bool output_is_right(struct long_scan *scan)
{
	size_t size = srt_type_size(scan->type);
	uint64_t turn = 0;

	for (uint64_t first = 0; first < scan->count; first += PERIOD, turn++) {
		uint64_t count = in_period(scan, first);
		uint64_t index;

		test_download(&scan->device, scan->seen, scan->out.address + first * size, count * size);
		index = find_wrong(scan, turn, count);
		if (index == count)
			continue;
		tap_diag("first wrong result at %" PRIu64 " of %" PRIu64 " (%" PRIu64 " + %" PRIu64 " periods)",
			first + index, scan->count, index, turn);
		return false;
	}
	return test_guards_intact(&scan->out, &scan->device);
}

static bool has_memory(const struct long_scan *scan)
{
	size_t available = 0;
	size_t total = 0;
	uint64_t needed = 2 * scan->count * srt_type_size(scan->type) + (UINT64_C(2) << 30);

	test_drive(&scan->device, cuMemGetInfo, (&available, &total));
	return available >= needed;
}

static void prepare(struct long_scan *scan, const struct srt_problem *problem)
{
	struct reference reference;
	size_t size = srt_type_size(scan->type);

	fill_period(scan);
	reference_create_from(&reference, problem, scan->block, false, PERIOD);
	memcpy(scan->expected, reference.expected, PERIOD * size);
	reference_destroy(&reference);
	test_buffer_create(&scan->in, &scan->device, scan->count * size, size);
	test_buffer_create(&scan->out, &scan->device, scan->count * size, 3 * size);
	upload_all(scan);
}

static void run_variant(struct long_scan *scan, const struct srt_problem *problem, const char *variant)
{
	struct srt_kernel kernel;
	struct srt_workspace workspace;

	test_kernel_create(&kernel, &scan->device, problem, variant);
	test_need(srt_workspace_create(
		&workspace, scan->device.driver, srt_variant_workspace(&kernel.variant, problem, scan->count)));
	test_buffer_poison(&scan->out, &scan->device);
	test_need(srt_kernel_launch(
		&kernel, scan->device.driver, &workspace, scan->out.address, scan->in.address, scan->count, 0, NULL));
	test_synchronize(&scan->device);
	tap_ok(output_is_right(scan), "B001 B003 B005: %s scans %" PRIu64 " elements of %s", variant, scan->count,
		srt_type_name(scan->type));
	srt_workspace_destroy(&workspace, scan->device.driver);
	test_kernel_destroy(&kernel, &scan->device);
}

static void run(struct long_scan *scan, int type, uint64_t count)
{
	struct srt_problem problem;

	scan->type = type;
	scan->count = count;
	if (!has_memory(scan)) {
		tap_skip(4, "%" PRIu64 " elements of %s do not fit the device's free memory", count,
			srt_type_name(type));
		return;
	}
	test_problem(&problem, SCANRT_SUM, type, type, type, false);
	prepare(scan, &problem);
	run_variant(scan, &problem, "lookback,block=256,items=16");
	run_variant(scan, &problem, "lookback,block=64,items=16"); /* more than 2^22 tiles */
	run_variant(scan, &problem, "lookahead,block=256,items=16,stages=3,ahead=2");
	run_variant(scan, &problem, "lookahead,block=64,items=16,stages=4,ahead=3");
	test_buffer_destroy(&scan->in, &scan->device);
	test_buffer_destroy(&scan->out, &scan->device);
}

int main(void)
{
	const char *wanted = getenv("SCANRT_LONG");
	struct long_scan scan = { 0 };

	if (!wanted || strcmp(wanted, "1") != 0)
		tap_skip_all("counts beyond 2^32 take minutes: SCANRT_LONG=1 or make check-long runs them");
	test_device_open(&scan.device);
	if (test_is_small(&scan.device))
		tap_skip_all("SCANRT_TEST_MAX_COUNT is set");
	tap_plan(0);
	scan.block = malloc(PERIOD * 8);
	scan.expected = malloc(PERIOD * 8);
	scan.seen = malloc(PERIOD * 8);
	if (!scan.block || !scan.expected || !scan.seen)
		abort();
	run(&scan, SCANRT_I8, (UINT64_C(1) << 31) + 12345);
	run(&scan, SCANRT_I8, (UINT64_C(1) << 32) + 54321);
	run(&scan, SCANRT_F64, UINT64_C(1) << 31);
	run(&scan, SCANRT_I32, (UINT64_C(1) << 32) + 7);
	free(scan.block);
	free(scan.expected);
	free(scan.seen);
	test_device_close(&scan.device);
	return tap_done();
}
