/* SPDX-License-Identifier: MIT */
#include "operator_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/abi.h"
#include "driver.h"
#include "status.h"

#define BLOCK 64
#define MOST_TRIPLES 1024
#define RECORD_BYTES ((size_t)8 << 20) /* of all records together */
/* What results lie on: a byte that shows both, one after the other, was not written and is padding. */
#define FILLS 2
static const unsigned char fills[FILLS] = { 0x55, 0xaa };

struct trial {
	const struct srt_driver *driver;
	const struct srt_problem *problem;
	const struct srt_comparison *comparison;
	struct srt_check_report *report;
	CUstream stream;
	CUmodule module;
	CUfunction load, triples, pairs;
	CUdeviceptr values, next, records;
	unsigned char *host[FILLS]; /* records */
	unsigned char *original;    /* values */
	unsigned char *scratch;     /* two values, masked */
	size_t size;                /* of a value */
	uint64_t part;              /* elements that a value stands for */
	struct scan_try_arguments arguments;
};

/* ---- What is wrong ---- */

static void show(struct trial *trial, const char *name, const void *value)
{
	struct srt_strbuf *text = &trial->report->text;
	char words[256];
	char bytes[256];

	srt_bytes_print(bytes, sizeof(bytes), value, trial->size);
	if (trial->comparison->print)
		trial->comparison->print(trial->comparison->user, words, sizeof(words), value);
	if (trial->comparison->print)
		srt_strbuf_printf(text, "\n  %-8s %s, bytes %s", name, words, bytes);
	else
		srt_strbuf_printf(text, "\n  %-8s bytes %s", name, bytes);
}

static const char *const slot_names[SCAN_TRY_SLOTS] = {
	[SCAN_TRY_A] = "a", [SCAN_TRY_B] = "b", [SCAN_TRY_C] = "c", [SCAN_TRY_AB] = "a b",
	[SCAN_TRY_AB_AGAIN] = "a b", [SCAN_TRY_BC] = "b c", [SCAN_TRY_LEFT] = "(a b) c",
	[SCAN_TRY_RIGHT] = "a (b c)", [SCAN_TRY_BA] = "b a", [SCAN_TRY_IDENTITY] = "e",
	[SCAN_TRY_IDENTITY_A] = "e a", [SCAN_TRY_A_IDENTITY] = "a e",
};

/* One law: two slots of a record that have to be equal, whether what is shown of the operands ends with b or c. */
struct law {
	int wanted;
	int seen;
	int operands;
	const char *broken;
};

static const void *slot_of(const struct trial *trial, uint64_t record, int slot)
{
	return trial->host[0] + (record * SCAN_TRY_SLOTS + (size_t)slot) * trial->size;
}

static void tell(struct trial *trial, const struct law *law, uint64_t record)
{
	struct srt_strbuf *text = &trial->report->text;
	int i;

	trial->report->is_good = false;
	srt_strbuf_printf(text, "operator %s %s", srt_problem_op_name(trial->problem), law->broken);
	if (trial->part == 1)
		srt_strbuf_printf(text, "; a is element %" PRIu64, record);
	else
		srt_strbuf_printf(text, "; a is made of the elements %" PRIu64 " to %" PRIu64, record * trial->part,
			(record + 1) * trial->part - 1);
	for (i = 0; i < law->operands; i++)
		show(trial, slot_names[i], slot_of(trial, record, i));
	if (law->wanted >= law->operands)
		show(trial, slot_names[law->wanted], slot_of(trial, record, law->wanted));
	if (law->seen >= law->operands)
		show(trial, slot_names[law->seen], slot_of(trial, record, law->seen));
}

static bool is_padding(const struct trial *trial, size_t at)
{
	return trial->host[0][at] == fills[0] && trial->host[1][at] == fills[1];
}

/* What neither fill was written over in one of two values is taken out of both. */
static void take_masked(struct trial *trial, uint64_t record, const struct law *law)
{
	unsigned char *wanted = trial->scratch, *seen = trial->scratch + trial->size;
	size_t from = (record * SCAN_TRY_SLOTS + (size_t)law->wanted) * trial->size;
	size_t with = (record * SCAN_TRY_SLOTS + (size_t)law->seen) * trial->size;
	size_t i;

	for (i = 0; i < trial->size; i++) {
		bool is_out = is_padding(trial, from + i) || is_padding(trial, with + i);

		wanted[i] = is_out ? 0 : trial->host[0][from + i];
		seen[i] = is_out ? 0 : trial->host[0][with + i];
	}
}

static void check_law(struct trial *trial, const struct law *law, uint64_t record)
{
	const void *operands[SCAN_TRY_C + 3];
	unsigned char *wanted = trial->scratch, *seen = trial->scratch + trial->size;
	size_t count = 0;
	double deviation;
	int slot;

	if (!trial->report->is_good)
		return;
	for (slot = 0; slot < law->operands; slot++)
		operands[count++] = slot_of(trial, record, slot);
	if (law->operands == 3) {
		operands[count++] = slot_of(trial, record, SCAN_TRY_AB);
		operands[count++] = slot_of(trial, record, SCAN_TRY_BC);
	}
	take_masked(trial, record, law);
	deviation = trial->comparison->deviation(trial->comparison->user, wanted, seen, operands, count);
	if (!(deviation <= trial->comparison->tolerance))
		tell(trial, law, record);
	else if (deviation > trial->report->deviation)
		trial->report->deviation = deviation;
}

/* An operand is part of an array that others read, too. */
static void check_operands(struct trial *trial, uint64_t record)
{
	static const struct law changed = { 0, 0, 3, "changes its operands; a, b and c are what it leaves of them" };
	int slot;

	for (slot = SCAN_TRY_A; slot <= SCAN_TRY_C && trial->report->is_good; slot++)
		if (memcmp(slot_of(trial, record, slot), trial->original + (record + (uint64_t)slot) * trial->size,
			trial->size) != 0) {
			tell(trial, &changed, record);
			show(trial, "it was", trial->original + (record + (uint64_t)slot) * trial->size);
		}
}

static void check_record(struct trial *trial, uint64_t record)
{
	static const struct law pure = { SCAN_TRY_AB, SCAN_TRY_AB_AGAIN, 2, "gives two results for one pair" };
	static const struct law associative = { SCAN_TRY_LEFT, SCAN_TRY_RIGHT, 3, "is not associative" };
	static const struct law commutative = { SCAN_TRY_AB, SCAN_TRY_BA, 2, "is not commutative, which it claims" };
	static const struct law left = { SCAN_TRY_A, SCAN_TRY_IDENTITY_A, 1, "has another identity: e a is not a" };
	static const struct law right = { SCAN_TRY_A, SCAN_TRY_A_IDENTITY, 1, "has another identity: a e is not a" };
	const struct srt_problem *problem = trial->problem;

	check_operands(trial, record);
	check_law(trial, &pure, record);
	check_law(trial, &associative, record);
	if (srt_problem_is_commutative(problem))
		check_law(trial, &commutative, record);
	if (problem->op != SCANRT_OPERATOR_USER || problem->user->has_identity) {
		check_law(trial, &left, record);
		check_law(trial, &right, record);
	}
}

/* ---- On the device ---- */

static int launch(struct trial *trial, CUfunction function, uint64_t threads)
{
	void *parameters[] = { &trial->arguments };
	CUresult result = trial->driver->cuLaunchKernel(function, (unsigned)((threads + BLOCK - 1) / BLOCK), 1, 1,
		BLOCK, 1, 1, 0, trial->stream, parameters, NULL);

	if (result != CUDA_SUCCESS)
		return srt_driver_fail(trial->driver, SCANRT_ERROR_LAUNCH, result, "cuLaunchKernel");
	return SCANRT_OK;
}

static int fetch(const struct trial *trial, void *to, CUdeviceptr from, size_t size)
{
	int status = SRT_CALL(trial->driver, cuMemcpyDtoHAsync, (to, from, size, trial->stream));

	return status ? status : SRT_CALL(trial->driver, cuStreamSynchronize, (trial->stream));
}

/* Every record twice, on memory that looks different. */
static int try_level(struct trial *trial, uint64_t count)
{
	size_t bytes = (count - 2) * SCAN_TRY_SLOTS * trial->size;
	uint64_t i;
	int status = fetch(trial, trial->original, trial->values, count * trial->size);
	int fill;

	trial->arguments.values = (void *)(uintptr_t)trial->values;
	trial->arguments.results = (void *)(uintptr_t)trial->records;
	trial->arguments.count = count;
	for (fill = 0; fill < FILLS && !status; fill++) {
		status = SRT_CALL(trial->driver, cuMemsetD8Async,
			(trial->records, fills[fill], bytes, trial->stream));
		if (!status)
			status = launch(trial, trial->triples, count - 2);
		if (!status)
			status = fetch(trial, trial->host[fill], trial->records, bytes);
	}
	for (i = 0; i + 2 < count && !status && trial->report->is_good; i++)
		check_record(trial, i);
	trial->report->triples += count - 2;
	return status;
}

static int combine_pairs(struct trial *trial, uint64_t count)
{
	CUdeviceptr combined = trial->next;
	int status;

	trial->arguments.results = (void *)(uintptr_t)combined;
	status = launch(trial, trial->pairs, count / 2);
	trial->next = trial->values;
	trial->values = combined;
	trial->part *= 2;
	return status;
}

static int run(struct trial *trial, uint64_t count)
{
	int status;

	trial->arguments.values = (void *)(uintptr_t)trial->values;
	trial->arguments.count = count;
	status = launch(trial, trial->load, count);
	while (!status && count >= 3 && trial->report->is_good) {
		status = try_level(trial, count);
		if (!status)
			status = combine_pairs(trial, count);
		count /= 2;
	}
	return status ? status : SRT_CALL(trial->driver, cuStreamSynchronize, (trial->stream));
}

/* ---- The whole ---- */

static int find(CUfunction *function, const struct trial *trial, const char *name)
{
	return SRT_CALL(trial->driver, cuModuleGetFunction, (function, trial->module, name));
}

static int open_module(struct trial *trial, const struct srt_image *image)
{
	int status = SRT_CALL(trial->driver, cuModuleLoadData, (&trial->module, image->bytes));

	if (!status)
		status = find(&trial->load, trial, "try_load");
	if (!status)
		status = find(&trial->triples, trial, "try_triples");
	if (!status)
		status = find(&trial->pairs, trial, "try_pairs");
	if (!status)
		status = SRT_CALL(trial->driver, cuStreamCreate, (&trial->stream, CU_STREAM_NON_BLOCKING));
	return status;
}

static int allocate(struct trial *trial, uint64_t count)
{
	size_t records = count * SCAN_TRY_SLOTS * trial->size;
	int status = SRT_CALL(trial->driver, cuMemAlloc, (&trial->values, count * trial->size));

	if (!status)
		status = SRT_CALL(trial->driver, cuMemAlloc, (&trial->next, count * trial->size));
	if (!status)
		status = SRT_CALL(trial->driver, cuMemAlloc, (&trial->records, records));
	/* Padding that nobody writes is copied and compared with the rest. */
	if (!status)
		status = SRT_CALL(trial->driver, cuMemsetD8Async,
			(trial->values, 0, count * trial->size, trial->stream));
	if (!status)
		status = SRT_CALL(trial->driver, cuMemsetD8Async, (trial->next, 0, count * trial->size, trial->stream));
	trial->host[0] = malloc(records);
	trial->host[1] = malloc(records);
	trial->original = malloc(count * trial->size);
	trial->scratch = malloc(2 * trial->size);
	if (!status && (!trial->host[0] || !trial->host[1] || !trial->original || !trial->scratch))
		status = srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory to check an operator in");
	return status;
}

static void close_trial(struct trial *trial)
{
	const CUdeviceptr addresses[] = { trial->values, trial->next, trial->records };
	size_t i;

	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		if (addresses[i])
			trial->driver->cuMemFree(addresses[i]);
	if (trial->stream)
		trial->driver->cuStreamDestroy(trial->stream);
	if (trial->module)
		trial->driver->cuModuleUnload(trial->module);
	free(trial->host[0]);
	free(trial->host[1]);
	free(trial->original);
	free(trial->scratch);
}

int srt_operator_check(struct srt_check_report *report, const struct srt_driver *driver,
	const struct srt_problem *problem, const struct srt_image *image, const void *state, uint64_t in,
	uint64_t count, const struct srt_comparison *comparison)
{
	struct trial trial = { .driver = driver, .problem = problem, .comparison = comparison, .report = report,
		.size = srt_problem_size(problem, SRT_ACCUMULATOR), .part = 1 };
	uint64_t most = RECORD_BYTES / SCAN_TRY_SLOTS / trial.size;
	int status;

	memset(report, 0, sizeof(*report));
	report->is_good = true;
	if (count < 3)
		return srt_fail(SCANRT_ERROR_COUNT, "an operator is checked on 3 elements at least, and there are %"
			PRIu64, count);
	most = most < MOST_TRIPLES ? most : MOST_TRIPLES;
	count = count < most ? count : most;
	trial.arguments.in = (const void *)(uintptr_t)in;
	trial.arguments.state = state;
	status = open_module(&trial, image);
	if (!status)
		status = allocate(&trial, count);
	if (!status)
		status = run(&trial, count);
	close_trial(&trial);
	if (!status && report->text.failed)
		status = srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for what is wrong with an operator");
	return status;
}
