/* SPDX-License-Identifier: MIT
 *
 * Whether a loaded variant is right.  Launches of many counts follow each other on one workspace that is cleared only
 * once, as in a program; each writes into poisoned memory between guard zones, and every element is compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "heuristic.h"
#include "reference.h"
#include "status.h"

/* One launch that is to be checked. */
struct check {
	struct tune_gpu *gpu;
	struct tune_slot *slot;
	const struct tune_data *data;
	CUdeviceptr in;
	CUdeviceptr out;
	uint64_t count;
	unsigned depth;
	const char *what;
	enum tune_verdict verdict;
	char *note;
};

static size_t bytes_of(const struct check *check)
{
	return check->count * check->data->result;
}

static int reject(struct check *check, const char *what, uint64_t index)
{
	check->verdict = TUNE_WRONG;
	snprintf(check->note, TUNE_NOTE_SIZE, "%s of %llu elements: %s at %llu", check->what,
		(unsigned long long)check->count, what, (unsigned long long)index);
	return SCANRT_OK;
}

static int launch(const struct check *check)
{
	return srt_kernel_launch(&check->slot->kernel, check->gpu->driver, &check->gpu->workspace, check->out,
		check->in, check->count, 0, check->gpu->stream);
}

/* Output and guards into the staging memory; the caller has seen to it that they fit. */
static int fetch(const struct check *check)
{
	const struct srt_driver *driver = check->gpu->driver;
	size_t size = bytes_of(check) + 2 * TUNE_GUARD_BYTES;
	int status = SRT_CALL(driver, cuMemcpyDtoHAsync,
		(check->gpu->staging, check->out - TUNE_GUARD_BYTES, size, check->gpu->stream));

	if (!status)
		status = SRT_CALL(driver, cuStreamSynchronize, (check->gpu->stream));
	return status;
}

static bool is_poison(const unsigned char *bytes)
{
	for (int i = 0; i < TUNE_GUARD_BYTES; i++)
		if (bytes[i] != TUNE_POISON)
			return false;
	return true;
}

static int compare_described(struct check *check, const unsigned char *seen, bool is_exclusive)
{
	char text[192];
	uint64_t index;
	int status = tune_described_judge(&index, text, sizeof text, check->gpu, seen, check->count, is_exclusive);

	return status || index == TUNE_SAME ? status : reject(check, text, index);
}

static int compare(struct check *check)
{
	unsigned char *seen = check->gpu->staging + TUNE_GUARD_BYTES;
	bool is_exclusive = check->slot->kernel.problem.is_exclusive;
	uint64_t index;
	char text[128];

	if (tune_fault_is("wrong", check->slot->text) || (is_exclusive && tune_fault_is("late", check->slot->text)))
		seen[bytes_of(check) / 2] ^= 1;
	if (!is_poison(check->gpu->staging))
		return reject(check, "wrote before the output", 0);
	if (!is_poison(seen + bytes_of(check)))
		return reject(check, "wrote behind the output", check->count);
	if (check->gpu->described)
		return compare_described(check, seen, is_exclusive);
	index = tune_data_compare(check->data, seen, check->count, is_exclusive, check->depth);
	if (index == TUNE_SAME)
		return SCANRT_OK;
	tune_data_explain(text, sizeof text, check->data, seen, index, is_exclusive);
	return reject(check, text, index);
}

static int poison(const struct check *check)
{
	return SRT_CALL(check->gpu->driver, cuMemsetD8Async, (check->out - TUNE_GUARD_BYTES, TUNE_POISON,
		bytes_of(check) + 2 * TUNE_GUARD_BYTES, check->gpu->stream));
}

/* Where the output is poisoned already, and the input there. */
static int scan_and_compare(struct check *check)
{
	int status = launch(check);

	if (!status)
		status = fetch(check);
	if (!status)
		status = compare(check);
	return status;
}

static int run(struct check *check)
{
	int status = poison(check);

	return status ? status : scan_and_compare(check);
}

/* ---- What is run ---- */

static int run_count(struct check *check, const struct tune_resident *resident, uint64_t count)
{
	const struct srt_variant *variant = &check->slot->kernel.variant;

	/* The most combinations on an element's way: within a thread, over lanes and warps or a tree of up to 13
	 * levels, over tiles. */
	check->depth = (unsigned)variant->items + 16 + (unsigned)(count / srt_variant_tile(variant));
	if (variant->circuit > SRT_CIRCUIT_WARPS)
		check->depth += 2 * 13 * (unsigned)(variant->circuit == SRT_CIRCUIT_RAKING ? variant->fan : 2);
	check->what = "a scan";
	check->data = &resident->data;
	check->in = resident->input;
	check->out = check->gpu->output + TUNE_GUARD_BYTES;
	check->count = count;
	return run(check);
}

/* Pointers that are aligned to their element and to nothing else. */
static int run_misaligned(struct check *check, const struct tune_resident *resident, uint64_t count)
{
	const struct srt_problem *problem = &check->slot->kernel.problem;
	size_t in_bytes = count * resident->data.element;
	size_t step = srt_problem_alignment(problem, SRT_INPUT);
	int status;

	check->what = "a scan at odd addresses";
	check->count = count;
	check->data = &resident->data;
	check->in = check->gpu->spare + step;
	check->out = check->gpu->output + TUNE_GUARD_BYTES + 3 * srt_problem_alignment(problem, SRT_OUTPUT);
	if (in_bytes + step > TUNE_SPARE_BYTES)
		return SCANRT_OK;
	status = tune_gpu_upload(check->gpu, check->in, resident->data.input, in_bytes);
	if (!status)
		status = run(check);
	return status;
}

static int run_in_place(struct check *check, const struct tune_resident *resident, uint64_t count)
{
	int status;

	if (resident->data.element != resident->data.result)
		return SCANRT_OK;
	check->what = "a scan in place";
	check->count = count;
	check->data = &resident->data;
	check->out = check->gpu->output + TUNE_GUARD_BYTES;
	check->in = check->out;
	status = poison(check);
	if (!status)
		status = tune_gpu_upload(check->gpu, check->out, resident->data.input, bytes_of(check));
	return status ? status : scan_and_compare(check);
}

/* The strategies whose order of combination is fixed give the same bits twice. */
static int run_twice(struct check *check, const struct tune_resident *resident, uint64_t count)
{
	size_t size = count * resident->data.element;
	unsigned char *first;
	int status = run_count(check, resident, count);

	if (status || check->verdict != TUNE_OK ||
	    !srt_variant_is_repeatable(&check->slot->kernel.variant, &check->slot->kernel.problem))
		return status;
	first = malloc(size);
	if (first == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a second look at %llu elements",
			(unsigned long long)count);
	memcpy(first, check->gpu->staging + TUNE_GUARD_BYTES, size);
	status = run_count(check, resident, count);
	if (!status && check->verdict == TUNE_OK &&
	    memcmp(first, check->gpu->staging + TUNE_GUARD_BYTES, size) != 0)
		status = reject(check, "other bits in a second run", 0);
	free(first);
	return status;
}

/* Nothing but its output is a kernel's to write. */
static int check_input(struct check *check, const struct tune_resident *resident, uint64_t count)
{
	const struct tune_gpu *gpu = check->gpu;
	size_t size = count * resident->data.element;
	int status = SRT_CALL(gpu->driver, cuMemcpyDtoH, (gpu->staging, resident->input, size));

	if (!status && memcmp(gpu->staging, resident->data.input, size) != 0) {
		check->count = count;
		return reject(check, "the input was changed", 0);
	}
	return status;
}

/* ---- The counts ---- */

struct counts {
	uint64_t list[16];
	size_t length;
	uint64_t max;
};

static void add(struct counts *counts, uint64_t count)
{
	if (count < 1 || count > counts->max)
		return;
	for (size_t i = 0; i < counts->length; i++)
		if (counts->list[i] == count)
			return;
	counts->list[counts->length++] = count;
}

/* The largest first: what it leaves in the workspace is what the small ones must not trip over. */
static void list_counts(struct counts *counts, const struct srt_kernel *kernel, uint64_t max)
{
	uint64_t tile = srt_variant_tile(&kernel->variant);
	uint64_t large = 3 * tile * (uint64_t)kernel->blocks_per_sm * (uint64_t)kernel->sm_count + 7;
	uint64_t most = srt_variant_max_count(&kernel->variant);

	counts->length = 0;
	counts->max = max < most ? max : most;
	add(counts, large < counts->max ? large : counts->max);
	add(counts, 2 * tile + 1);
	add(counts, 2 * tile - 1);
	add(counts, tile + 1);
	add(counts, tile);
	add(counts, tile - 1);
	add(counts, 33);
	add(counts, 32);
	add(counts, 31);
	add(counts, 1);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int verify_exact(struct check *check, const struct tune_resident *resident, uint64_t max)
{
	struct counts counts;
	uint64_t two_tiles;
	int status = SCANRT_OK;

	list_counts(&counts, &check->slot->kernel, max);
	two_tiles = least(2 * srt_variant_tile(&check->slot->kernel.variant) + 1, counts.max);
	for (size_t i = 0; !status && check->verdict == TUNE_OK && i < counts.length; i++)
		status = run_count(check, resident, counts.list[i]);
	if (!status && check->verdict == TUNE_OK)
		status = run_misaligned(check, resident, two_tiles);
	if (!status && check->verdict == TUNE_OK)
		status = run_in_place(check, resident, two_tiles);
	if (!status && check->verdict == TUNE_OK)
		status = check_input(check, resident, counts.list[0]);
	return status;
}

static bool rounds(const struct srt_problem *problem)
{
	return !problem->user && srt_type_is_float(problem->input_type) &&
	       (problem->op == SCANRT_SUM || problem->op == SCANRT_PROD);
}

static int verify_rounded(struct check *check, uint64_t max)
{
	const struct srt_problem *problem = &check->slot->kernel.problem;
	uint64_t most = least(max, srt_variant_max_count(&check->slot->kernel.variant));
	const struct tune_resident *resident;
	int status = tune_gpu_resident(&resident, check->gpu, problem->input_type, problem->op, false);

	if (!status)
		status = run_twice(check, resident, least(most, resident->data.count));
	return status;
}

/* A planted fault: a scan into the first page of the address space, where no device has memory. */
static int poison_context(const struct check *check, const struct tune_resident *resident)
{
	const struct tune_gpu *gpu = check->gpu;
	int status = srt_kernel_launch(&check->slot->kernel, gpu->driver, &gpu->workspace, 256, resident->input, 32, 0,
		gpu->stream);

	return status ? status : SRT_CALL(gpu->driver, cuStreamSynchronize, (gpu->stream));
}

int tune_verify(enum tune_verdict *verdict, char note[TUNE_NOTE_SIZE], struct tune_gpu *gpu, int slot,
	uint64_t max_count)
{
	struct check check = { .gpu = gpu, .slot = &gpu->slots[slot], .verdict = TUNE_OK, .note = note };
	const struct srt_problem *problem = &check.slot->kernel.problem;
	const struct tune_resident *resident;
	int status = tune_gpu_resident(&resident, gpu, problem->input_type, problem->op, true);

	tune_fault_kill("kill-verify", check.slot->text);
	tune_fault_strike(check.slot->text);
	if (!status && tune_fault_is("poison", check.slot->text))
		status = poison_context(&check, resident);
	if (!status)
		status = srt_workspace_clear(&gpu->workspace, gpu->driver);
	if (!status) {
		uint64_t widest = tune_element_bytes(problem);
		uint64_t fits = (TUNE_STAGING_BYTES - 2 * TUNE_GUARD_BYTES) / widest;

		fits = least(least(fits, resident->data.count), gpu->arena_bytes / widest);
		max_count = least(max_count, fits);
		status = verify_exact(&check, resident, max_count);
	}
	if (!status && check.verdict == TUNE_OK && rounds(problem))
		status = verify_rounded(&check, max_count);
	*verdict = check.verdict;
	return status;
}
