/* SPDX-License-Identifier: MIT
 *
 * Inputs and checks of bench/table.
 */
#include <inttypes.h>
#include <string.h>

#include "image.h"
#include "source.h"
#include "status.h"
#include "table.h"

#define L2_COMMON ((double)(4 << 20)) /* where the device does not tell */
#define WORKING_SETS 6                /* times the L2 that input and output of all slots take */
#define SLOTS_MAX 64                  /* a small scan's launches would otherwise touch new pages each */
#define GRAPH_US 3000.0               /* about what a graph is to take */
#define BYTES_PER_US 3e6              /* roughly, of any GPU that this is run on */
#define SCANS_MAX 40
#define RESIDENT 0.6                  /* of L2: what all scans of a graph may take to be found there again */
#define LEAST_SETS 3                  /* times the L2 that they take otherwise */
#define FILL_BLOCK 256
#define FILL_BLOCKS 4096
#define SEED UINT64_C(0x5eed)
#define IN_OFFSET 1                   /* elements that a misaligned array begins off a boundary */
#define OUT_OFFSET 3
#define POISON 0xa5
#define PAGE ((size_t)2 << 20)        /* of a device's memory */

extern const struct srt_source bench_sources[]; /* data.cu */

/* ---- The kernels of data.cu for two types ---- */

/* Types that data.cu knows as several parts of one that it has: sums of them are sums of the parts. */
static const struct { const char *type; const char *part; int parts; } composed[] = {
	{ "c64", "f32", 2 }, { "c128", "f64", 2 },
};

static const char *part_of(const char *type, int *parts)
{
	*parts = 1;
	for (size_t i = 0; i < sizeof composed / sizeof composed[0]; i++)
		if (strcmp(composed[i].type, type) == 0) {
			*parts = composed[i].parts;
			return composed[i].part;
		}
	return type;
}

/* Sums of doubles are sums of parts; what is combined otherwise has a text of its own. */
static int compile_user(struct srt_image *image, const struct bench *bench, const struct bench_user *user)
{
	char option[48];
	const char *options[] = { option, "-DBENCH_IN=f64", "-DBENCH_OUT=f64" };
	int kind = user->builtin_type == SCANRT_U8 ? 3 : user->bytes == 16 ? 2 : 1;

	if (user->data)
		snprintf(option, sizeof option, "-DBENCH_KIND=%d", kind);
	else
		snprintf(option, sizeof option, "-DBENCH_PARTS=%zu", user->bytes / 8);
	return bench_compile(image, bench, bench_sources, user->data ? user->data : "data.cu", options,
		user->data ? 1 : 3);
}

static int compile(struct srt_image *image, const struct bench *bench, int in, int out)
{
	bool is_wide = srt_type_size(in) > 8 || srt_type_size(out) > 8;
	char in_option[32], out_option[32], parts_option[32];
	const char *options[] = { in_option, out_option, parts_option, "-DBENCH_INT128", "--device-int128" };
	int parts;

	snprintf(in_option, sizeof in_option, "-DBENCH_IN=%s", part_of(srt_type_name(in), &parts));
	snprintf(out_option, sizeof out_option, "-DBENCH_OUT=%s", part_of(srt_type_name(out), &parts));
	snprintf(parts_option, sizeof parts_option, "-DBENCH_PARTS=%d", parts);
	return bench_compile(image, bench, bench_sources, "data.cu", options, is_wide ? 5 : 3);
}

static int load(struct bench_module *module, const struct bench *bench)
{
	const struct srt_driver *driver = bench->driver;
	struct srt_image image = {0};
	int status = module->user ? compile_user(&image, bench, module->user) :
		compile(&image, bench, module->in, module->out);

	if (!status)
		status = SRT_CALL(driver, cuModuleLoadData, (&module->module, image.bytes));
	if (!status)
		status = SRT_CALL(driver, cuModuleGetFunction, (&module->fill, module->module, "bench_fill"));
	if (!status)
		status = SRT_CALL(driver, cuModuleGetFunction, (&module->check, module->module, "bench_check"));
	if (!status)
		status = SRT_CALL(driver, cuModuleGetFunction, (&module->empty, module->module, "bench_empty"));
	srt_image_free(&image);
	return status;
}

int bench_module_of(const struct bench_module **module, struct bench *bench, const struct srt_problem *problem)
{
	struct bench_module *made = &bench->modules[bench->module_count];
	const struct bench_user *user = bench_user_of(problem);
	int status;

	for (size_t i = 0; i < bench->module_count; i++) {
		*module = &bench->modules[i];
		if ((*module)->in == problem->input_type && (*module)->out == problem->output_type &&
		    (*module)->user == user)
			return SCANRT_OK;
	}
	if (bench->module_count == sizeof bench->modules / sizeof bench->modules[0])
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "too many pairs of types");
	made->in = problem->input_type;
	made->out = problem->output_type;
	made->user = user;
	status = load(made, bench);
	*module = made;
	if (!status)
		bench->module_count++;
	return status;
}

/* ---- Where scans go ---- */

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Arrays as the driver's allocations lay them out: large ones begin at pages.  Small ones are an odd number of pieces
 * apart: at an even number all would lie in one half of an L2 that is made of two, near to or far from whichever
 * multiprocessor scans, and a scan of a thousand elements would take 1.0 or 1.2 us by that alone. */
static size_t slot_of(size_t bytes)
{
	size_t taken = bytes + SLOTS_MAX;

	if (bytes >= 16 * PAGE)
		return (taken + PAGE - 1) / PAGE * PAGE;
	return ((taken + 255) / 256 | 1) * 256;
}

bool bench_fits(const struct bench *bench, const struct srt_problem *problem, uint64_t count)
{
	size_t element = larger(srt_problem_size(problem, SRT_INPUT), srt_problem_size(problem, SRT_OUTPUT));

	return count <= (bench->capacity - 256 - SLOTS_MAX) / element;
}

/* The arrays of all scans either fit L2 or are several times its size: with as many as nearly fit, what is left of the
 * replay before decides, and on an H200 scans of 1.6 * 10^5 i32 took 5 % longer than those of 2 * 10^5. */
static void avoid_edge(double *slots, double *scans, double bytes, double l2)
{
	double all = SCANS_MAX * bytes;

	if (all > RESIDENT * l2 && all < LEAST_SETS * l2)
		*slots = *scans = LEAST_SETS * l2 / bytes;
}

struct tune_ring bench_ring(const struct bench *bench, const struct srt_problem *problem, uint64_t count,
	enum bench_layout layout)
{
	size_t in_size = srt_problem_size(problem, SRT_INPUT), out_size = srt_problem_size(problem, SRT_OUTPUT);
	struct tune_ring ring = { .in_stride = slot_of(count * in_size), .out_stride = slot_of(count * out_size) };
	double l2 = bench->device.l2_bytes > 0 ? (double)bench->device.l2_bytes : L2_COMMON;
	double bytes = (double)(ring.in_stride + ring.out_stride);
	double slots = WORKING_SETS * l2 / bytes, scans = GRAPH_US * BYTES_PER_US / bytes;
	double fit = (double)(bench->capacity / larger(ring.in_stride, ring.out_stride));

	/* Two at least, where they fit: no scan then writes where the one before it wrote. */
	slots = slots > SLOTS_MAX ? SLOTS_MAX : slots < 2 ? 2 : slots;
	scans = scans > SCANS_MAX ? SCANS_MAX : scans < 2 ? 2 : scans;
	avoid_edge(&slots, &scans, bytes, l2);
	slots = slots > fit ? fit : slots;
	ring.slots = slots < 1 ? 1 : (int)slots;
	ring.scans = (int)scans;
	if (bench->is_modelled)
		ring.slots = ring.scans = 1;
	ring.in = bench->in + (layout == BENCH_MISALIGNED ? IN_OFFSET * in_size : 0);
	ring.out = bench->out + (layout == BENCH_MISALIGNED ? OUT_OFFSET * out_size : 0);
	if (layout == BENCH_IN_PLACE) {
		ring.in = ring.out;
		ring.in_stride = ring.out_stride;
	}
	return ring;
}

/* ---- Inputs and checks ---- */

static int launch(const struct bench *bench, CUfunction function, uint64_t count, void **parameters)
{
	uint64_t blocks = (count + FILL_BLOCK - 1) / FILL_BLOCK;

	return SRT_CALL(bench->driver, cuLaunchKernel,
		(function, (unsigned)(blocks < FILL_BLOCKS ? blocks : FILL_BLOCKS), 1, 1, FILL_BLOCK, 1, 1, 0,
		bench->contest.stream, parameters, NULL));
}

static uint64_t seed_of(int slot)
{
	return SEED + UINT64_C(0x632be59bd9b4e019) * (uint64_t)slot;
}

/* A caller's operator that data.cu knows is a sum. */
static int operator_of(const struct srt_problem *problem)
{
	return problem->op == SCANRT_OPERATOR_USER ? SCANRT_SUM : problem->op;
}

static int fill_slot(const struct bench *bench, const struct bench_module *module,
	const struct tune_ring *ring, uint64_t count, int slot, int op)
{
	CUdeviceptr in = ring->in + (size_t)slot * ring->in_stride;
	unsigned long long length = count, seed = seed_of(slot);
	void *parameters[] = { &in, &length, &op, &seed };

	return launch(bench, module->fill, count, parameters);
}

int bench_fill(struct bench *bench, const struct srt_problem *problem, const struct tune_ring *ring, uint64_t count,
	bool is_raw)
{
	const struct bench_module *module;
	int status = bench_module_of(&module, bench, problem);

	for (int slot = 0; !status && slot < ring->slots; slot++)
		status = fill_slot(bench, module, ring, count, slot, is_raw ? 0 : operator_of(problem));
	return status;
}

static int run_check(uint64_t wrong[2], const struct bench *bench, const struct bench_module *module,
	const struct srt_problem *problem, CUdeviceptr out, uint64_t count)
{
	const struct srt_driver *driver = bench->driver;
	unsigned long long length = count, seed = seed_of(0);
	int op = operator_of(problem), is_exclusive = problem->is_exclusive;
	CUdeviceptr counter = bench->wrong;
	void *parameters[] = { &counter, &out, &length, &op, &is_exclusive, &seed };
	int status;

	wrong[0] = 0;
	wrong[1] = UINT64_MAX;
	status = SRT_CALL(driver, cuMemcpyHtoDAsync, (counter, wrong, 2 * sizeof wrong[0], bench->contest.stream));
	if (!status)
		status = launch(bench, module->check, count, parameters);
	if (!status)
		status = SRT_CALL(driver, cuStreamSynchronize, (bench->contest.stream));
	if (!status)
		status = SRT_CALL(driver, cuMemcpyDtoH, (wrong, counter, 2 * sizeof wrong[0]));
	return status;
}

static size_t spoilt_byte(const struct srt_problem *problem, uint64_t count)
{
	return count / 2 * srt_problem_size(problem, SRT_OUTPUT);
}

/* The first slot; in place, its input is gone then, and is made again. */
int bench_check(struct bench *bench, const struct srt_problem *problem, const struct tune_ring *ring,
	const struct tune_contender *contender, uint64_t count)
{
	const struct bench_module *module;
	bool is_in_place = ring->in == ring->out;
	uint64_t wrong[2] = { 0, 0 };
	int status = bench_module_of(&module, bench, problem);

	if (!status && !is_in_place)
		status = SRT_CALL(bench->driver, cuMemsetD8Async, (ring->out, POISON,
			count * srt_problem_size(problem, SRT_OUTPUT), bench->contest.stream));
	if (!status)
		status = contender->enqueue(contender->user, ring->out, ring->in, bench->contest.stream);
	if (!status && bench->options.is_spoiling)
		status = SRT_CALL(bench->driver, cuMemsetD8Async, (ring->out + spoilt_byte(problem, count), POISON, 1,
			bench->contest.stream));
	if (!status)
		status = run_check(wrong, bench, module, problem, ring->out, count);
	if (!status && is_in_place)
		status = fill_slot(bench, module, ring, count, 0, operator_of(problem));
	if (status || wrong[0] == 0)
		return status;
	return srt_fail(SCANRT_ERROR_IMAGE, "%" PRIu64 " of %" PRIu64 " results are wrong, the first at %" PRIu64,
		wrong[0], count, wrong[1]);
}
