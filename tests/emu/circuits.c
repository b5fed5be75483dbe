/* SPDX-License-Identifier: MIT
 *
 * The circuits, counted: applications of the operator, barriers, words of shared memory and bank conflicts, to the one.
 * What is counted on the device is compared with what circuit_work.c adds up level by level, and for powers of two that
 * with the formulas which scanrt-kernels(7) states.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit_work.h"
#include "emulated.h"

#define SEEDS 20

/* ---- What the device counts ---- */

/* The kernel is compiled once for several counts: its image stays in this process. */
static struct emu_counters measure(struct test_device *device, const char *variant, uint64_t count, bool is_exclusive)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct reference reference;
	struct emu_launch_record record;
	struct srt_workspace workspace;
	struct test_scan scan = { &reference, &kernel, &workspace, count, 0, 0, false, 0 };

	test_problem(&problem, SRT_OP_AFFINE, SCANRT_U32, SCANRT_U32, SCANRT_U32, is_exclusive);
	reference_create(&reference, &problem, REFERENCE_EXACT, 1, count);
	test_kernel_create(&kernel, device, &problem, variant);
	test_workspace_create(&workspace, device, count);
	if (!test_scan_passes(device, &scan))
		tap_bail_out("%s is wrong at %" PRIu64 " elements", variant, count);
	emulated_last_launch(&record);
	srt_workspace_destroy(&workspace, device->driver);
	test_kernel_destroy(&kernel, device);
	reference_destroy(&reference);
	return record.counters;
}

/* Around the circuit: a thread scans each of its vectors, and puts what comes before a vector in front of its elements;
 * in an exclusive scan not in front of the last, and the first is what comes before. */
static uint64_t applies_around(uint64_t count, unsigned n, unsigned vector, bool is_exclusive)
{
	if (n == 1)
		return count - 1;
	return count - n + (is_exclusive ? (n - 1) * (vector - 1) - (n * vector - count) : count - vector);
}

static void check_work(const struct emu_counters *seen, const struct work *wanted, const char *what, unsigned n)
{
	tap_is_uint(seen->applies, wanted->applies, "%s of %u values applies the operator %" PRIu64 " times", what, n,
		wanted->applies);
	tap_is_uint(seen->barriers, wanted->barriers, "%s of %u values has %" PRIu64 " barriers", what, n,
		wanted->barriers);
	tap_is_uint(seen->shared_load_words, wanted->loads, "%s of %u values reads %" PRIu64 " words of shared memory",
		what, n, wanted->loads);
	tap_is_uint(seen->shared_store_words, wanted->stores, "%s of %u values writes %" PRIu64, what, n,
		wanted->stores);
	tap_is_uint(seen->shared_conflicts, wanted->conflicts, "%s of %u values has %" PRIu64 " bank conflicts", what,
		n, wanted->conflicts);
}

/* A circuit over n values in a block of `block` threads, `rows` vectors a thread; the last vector lacks `missing`. */
struct shape {
	unsigned block, vector, rows, n, missing;
	bool is_exclusive;
};

static const struct shape shapes[] = {
	{ 128, 4, 1, 128, 0, false },
	{ 128, 4, 1, 1, 3, false },
	{ 128, 4, 1, 2, 1, false },
	{ 128, 4, 1, 95, 2, false },
	{ 256, 1, 1, 256, 0, false }, /* an item a thread, as it is taught */
	{ 256, 1, 1, 200, 0, false },
	{ 96, 4, 3, 288, 0, true },
	{ 96, 4, 3, 243, 1, true },
	{ 512, 4, 2, 1024, 0, false },
};

static void check_shape(struct test_device *device, const struct circuit *circuit, const struct shape *shape)
{
	uint64_t count = (uint64_t)shape->n * shape->vector - shape->missing;
	struct work work = circuit->work(shape->n, circuit->fan);
	struct emu_counters seen;
	char variant[128], what[128];

	snprintf(variant, sizeof(variant), "block,block=%u,items=%u,circuit=%s", shape->block,
		shape->rows * shape->vector, circuit->knobs);
	snprintf(what, sizeof(what), "%s, %u threads%s,", circuit->knobs, shape->block,
		shape->is_exclusive ? ", exclusive" : "");
	seen = measure(device, variant, count, shape->is_exclusive);
	/* At last each vector but the first reads the result of the one before it. */
	work.barriers++;
	work.loads += shape->n - 1;
	seen.applies -= applies_around(count, shape->n, shape->vector, shape->is_exclusive);
	check_work(&seen, &work, what, shape->n);
}

/* Behind an exchange of tiles the block has two barriers more a tile: for the ticket, and for the prefix. */
static void check_tiles(struct test_device *device, const struct circuit *circuit)
{
	const unsigned block = 64, vector = 4, tiles = 5;
	struct emu_counters seen;
	char variant[128];

	snprintf(variant, sizeof(variant), "lookback,block=%u,items=%u,circuit=%s", block, vector, circuit->knobs);
	seen = measure(device, variant, (uint64_t)tiles * block * vector, false);
	tap_is_uint(seen.barriers, tiles * (circuit->work(block, circuit->fan).barriers + 1 + 2),
		"%s behind a look-back has two barriers more a tile", circuit->knobs);
}

/* Barriers order all that a circuit does, so no schedule changes the result, nor the work. */
static void check_schedules(struct test_device *device, const struct circuit *circuit)
{
	struct emu_counters first, next;
	unsigned other = 0;
	char variant[128];

	snprintf(variant, sizeof(variant), "block,block=96,items=12,circuit=%s", circuit->knobs);
	first = measure(device, variant, 1001, true);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		emulated_schedule(seed, 0);
		next = measure(device, variant, 1001, true);
		other += next.applies != first.applies || next.barriers != first.barriers ||
			next.shared_load_words != first.shared_load_words ||
			next.shared_store_words != first.shared_store_words;
	}
	emulated_schedule(0, 0);
	tap_is_uint(other, 0, "%s is right and does the same work under %d schedules", circuit->knobs, SEEDS);
}

/* ---- The formulas of the manual, for n = 2^k and n = fan^m ---- */

static unsigned levels(unsigned n, unsigned fan)
{
	unsigned levels = 0;

	for (; n > 1; n /= fan)
		levels++;
	return levels;
}

static const struct circuit *find(const char *knobs)
{
	const struct circuit *circuit = circuits;

	while (strcmp(circuit->knobs, knobs) != 0)
		circuit++;
	return circuit;
}

static void test_formulas(void)
{
	for (unsigned n = 32; n <= 4096; n *= 2) {
		unsigned log = levels(n, 2);
		struct work kogge = find("koggestone")->work(n, 2), in_place = find("brentkung-inplace")->work(n, 2);
		struct work out = find("brentkung")->work(n, 2);

		tap_is_uint(kogge.applies, n * log - n + 1, "Kogge-Stone of %u: n log n - n + 1 applications", n);
		tap_is_uint(kogge.barriers, 2 * log, "and 2 log n barriers");
		tap_is_uint(in_place.applies, 2 * n - 2 - log, "Brent-Kung of %u: 2 n - 2 - log n applications", n);
		tap_is_uint(out.applies, in_place.applies, "in place and out of place");
		tap_is_uint(in_place.barriers, 2 * log - 1, "2 log n - 1 barriers in place");
		tap_is_uint(out.barriers, 2 * log, "2 log n out of place");
		tap_is_uint(in_place.loads, 4 * n - 4 - 2 * log, "4 n - 4 - 2 log n reads in place");
		tap_is_uint(in_place.stores, 3 * n - 2 - log, "3 n - 2 - log n writes in place");
		tap_is_uint(out.loads, 4 * n - 4 - log, "4 n - 4 - log n reads out of place");
		tap_is_uint(out.stores, 4 * n - 3 - log, "4 n - 3 - log n writes out of place");
	}
	for (unsigned fan = 2; fan <= 32; fan *= 2) {
		unsigned n = fan * fan;
		struct work work = find("raking,fan=2")->work(n, fan);

		tap_is_uint(work.applies, 2 * n - 2 - 2, "raking of %u by %u: 2 n - 2 - log n applications", n, fan);
		tap_is_uint(work.barriers, 4, "and two barriers a level");
	}
}

/* ---- Warps, then their totals ---- */

/* Kogge-Stone of 32 lanes. */
#define WARP_APPLIES (5 * LANES - LANES + 1)

/* Of a full tile: each warp scans its rows, joins them, and after the barrier scans all warps' totals for itself; its
 * vectors, but for the first warp's first, then have two things put in front of them. */
static uint64_t two_level_applies(unsigned warps, unsigned rows)
{
	uint64_t of_totals = 0;

	for (unsigned reach = 1; reach < warps; reach *= 2)
		of_totals += warps - reach;
	return warps * (rows * WARP_APPLIES + (rows - 1) * (LANES - 1 + LANES) + of_totals) +
		(warps - 1) * (rows * LANES - 1);
}

static void check_two_levels(struct test_device *device, unsigned block, unsigned rows, const char *warp)
{
	bool is_shared = strcmp(warp, "shared") == 0;
	unsigned warps = block / LANES, vector = 4, n = block * rows;
	struct work work = { .applies = two_level_applies(warps, rows), .barriers = 1 };
	struct emu_counters seen;
	char variant[128], what[128];

	snprintf(variant, sizeof(variant), "block,block=%u,items=%u,warp=%s", block, rows * vector, warp);
	snprintf(what, sizeof(what), "warps by %s, %u threads,", warp, block);
	/* Every warp reads all totals.  In shared memory each of five steps writes all lanes and reads those with a
	 * neighbour. */
	work.loads = warps * warps + (is_shared ? warps * rows * WARP_APPLIES : 0);
	work.stores = warps + (is_shared ? warps * rows * 5 * LANES : 0);
	seen = measure(device, variant, (uint64_t)n * vector, false);
	seen.applies -= applies_around((uint64_t)n * vector, n, vector, false);
	check_work(&seen, &work, what, n);
	tap_is_uint(seen.warp_barriers, is_shared ? warps * rows * 10 : 0, "and %u barriers of warps",
		is_shared ? warps * rows * 10 : 0);
}

/* ---- The table of the manual ---- */

static void check_row(const char *page, const char *circuit, const struct work *work)
{
	char row[160];

	snprintf(row, sizeof(row), ".It Cm %s Ta %" PRIu64 " Ta %" PRIu64 " Ta %" PRIu64 " Ta %" PRIu64 " Ta %" PRIu64
		"\n", circuit, work->applies, work->barriers, work->loads, work->stores, work->conflicts);
	tap_contains(page, row, "scanrt-kernels(7) has the counts of %s over 1024 values", circuit);
}

static void test_manual(void)
{
	const unsigned n = 1024, warps = n / LANES;
	const struct work two_levels = { two_level_applies(warps, 1), 1, warps * warps, warps, 0 };
	const char *top = getenv("top_srcdir");
	static char page[65536];
	FILE *file;

	snprintf(page, sizeof(page), "%s/man/scanrt-kernels.7", top ? top : ".");
	file = fopen(page, "r");
	if (!file)
		tap_bail_out("no %s", page);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	check_row(page, "warps", &two_levels);
	for (size_t i = 0; circuits[i].knobs; i++) {
		struct work work = circuits[i].work(n, circuits[i].fan);

		work.barriers++;
		work.loads += n - 1;
		check_row(page, circuits[i].knobs, &work);
	}
}

int main(void)
{
	struct test_device device;

	setenv("SCANRT_COUNT_APPLIES", "1", 1);
	emulated_open(&device);
	tap_plan(0);
	test_formulas();
	test_manual();
	for (size_t i = 0; circuits[i].knobs; i++) {
		for (size_t j = 0; j < sizeof(shapes) / sizeof(shapes[0]); j++)
			check_shape(&device, &circuits[i], &shapes[j]);
		if (i % 2 == 0)
			check_tiles(&device, &circuits[i]);
		check_schedules(&device, &circuits[i]);
	}
	check_two_levels(&device, 128, 1, "shuffle");
	check_two_levels(&device, 512, 2, "shuffle");
	check_two_levels(&device, 96, 3, "shuffle");
	check_two_levels(&device, 128, 1, "shared");
	check_two_levels(&device, 96, 3, "shared");
	test_device_close(&device);
	return tap_done();
}
