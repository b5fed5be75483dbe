/* SPDX-License-Identifier: MIT */
#include "self_test.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "status.h"

#define GUARD 256  /* bytes before and after the results */
#define FILL 0xa5
#define WALK 64    /* what walks stay below */
#define SLOPES 4

struct test {
	const struct srt_kernel *kernel;
	const struct srt_driver *driver;
	uint64_t count;
	size_t in_size;
	size_t out_size;
	unsigned char *in;       /* on the host */
	unsigned char *expected; /* the identity, then the inclusive results */
	unsigned char *seen;     /* with the guards */
	CUdeviceptr device_in;
	CUdeviceptr device_out;
	struct srt_workspace workspace;
	CUstream stream;
};

static bool is_number(int type)
{
	return srt_type_is_float(type) || (type >= SCANRT_I8 && type <= SCANRT_U64);
}

bool srt_self_test_knows(const struct srt_problem *problem)
{
	bool is_float = srt_type_is_float(problem->input_type);

	if (problem->user || problem->has_initial || problem->op < SCANRT_SUM || problem->op > SCANRT_XOR)
		return false;
	if (!is_number(problem->input_type))
		return false;
	if (is_float)
		return srt_type_is_float(problem->accumulator_type) && srt_type_is_float(problem->output_type);
	return problem->accumulator_type == problem->input_type && problem->output_type == problem->input_type;
}

/* ---- Values ---- */

/* splitmix64: Steele, Lea and Flood, 2014. */
static uint64_t random_at(uint64_t index)
{
	uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* A small number, or a power of two, as half precision has it: both are normal and exact in every format.  Or
 * infinity. */
static uint16_t half_of(double value)
{
	int exponent;
	double fraction = frexp(fabs(value), &exponent);
	unsigned sign = signbit(value) ? 0x8000u : 0;

	if (fraction == 0)
		return (uint16_t)sign;
	if (isinf(value))
		return (uint16_t)(sign | 0x7c00u);
	return (uint16_t)(sign | (unsigned)(exponent + 14) << 10 | ((unsigned)(fraction * 2048) & 0x3ffu));
}

static uint16_t bfloat_of(double value)
{
	float narrow = (float)value;
	uint32_t bits;

	memcpy(&bits, &narrow, sizeof(bits));
	return (uint16_t)(bits >> 16);
}

static void put_float(unsigned char *to, int type, double value)
{
	float narrow = (float)value;
	uint16_t half = type == SCANRT_F16 ? half_of(value) : bfloat_of(value);

	if (type == SCANRT_F64)
		memcpy(to, &value, sizeof(value));
	else if (type == SCANRT_F32)
		memcpy(to, &narrow, sizeof(narrow));
	else
		memcpy(to, &half, sizeof(half));
}

/* For maxima: it rises to a record again and again, so that some results are those of elements far before. */
static uint64_t ramp_at(uint64_t index, uint64_t count)
{
	return index * 37 / count % 10 + index * 4 / count + random_at(index) % 2;
}

/* Sums are of the differences of a walk that goes nowhere: those of neighbours are small, whatever the order, and every
 * result tells where it stands.  Products are the same with powers of two. */
static double float_at(uint64_t index, uint64_t count, int op)
{
	double here = (double)(random_at(index) % WALK), next = (double)(random_at(index + 1) % WALK);

	switch (op) {
	case SCANRT_SUM: return next - here;
	case SCANRT_PROD: return ldexp(1, (int)next % SLOPES - (int)here % SLOPES);
	case SCANRT_MIN: return -(double)ramp_at(index, count);
	default: return (double)ramp_at(index, count);
	}
}

static double combine_floats(double earlier, double later, int op)
{
	switch (op) {
	case SCANRT_SUM: return earlier + later;
	case SCANRT_PROD: return earlier * later;
	case SCANRT_MIN: return fmin(earlier, later);
	default: return fmax(earlier, later);
	}
}

static void make_floats(struct test *test)
{
	const struct srt_problem *problem = &test->kernel->problem;
	double total = 0;

	for (uint64_t i = 0; i < test->count; i++) {
		double value = float_at(i, test->count, problem->op);

		total = i == 0 ? value : combine_floats(total, value, problem->op);
		put_float(test->in + i * test->in_size, problem->input_type, value);
		put_float(test->expected + (i + 1) * test->out_size, problem->output_type, total);
	}
}

/* All bits, wrapped to the type: sums and products by the low bits of wider ones. */
static uint64_t wrap(uint64_t value, size_t size, bool is_signed)
{
	unsigned shift = 64 - 8 * (unsigned)size;

	return is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value << shift >> shift;
}

static bool is_less(uint64_t a, uint64_t b, bool is_signed)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t combine_integers(uint64_t earlier, uint64_t later, int op, bool is_signed)
{
	switch (op) {
	case SCANRT_SUM: return earlier + later;
	case SCANRT_PROD: return earlier * later;
	case SCANRT_MIN: return is_less(later, earlier, is_signed) ? later : earlier;
	case SCANRT_MAX: return is_less(earlier, later, is_signed) ? later : earlier;
	case SCANRT_AND: return earlier & later;
	case SCANRT_OR: return earlier | later;
	default: return earlier ^ later;
	}
}

/* Conjunctions and disjunctions get at one bit after another; odd factors keep their product from becoming zero. */
static uint64_t integer_at(uint64_t index, uint64_t count, int op, size_t size)
{
	uint64_t steps = index * (8 * size - 1) / count;

	switch (op) {
	case SCANRT_PROD: return random_at(index) | 1;
	case SCANRT_MIN: return 20 - ramp_at(index, count);
	case SCANRT_MAX: return ramp_at(index, count);
	case SCANRT_AND: return random_at(index) | ~(uint64_t)0 << steps;
	case SCANRT_OR: return random_at(index) & (((uint64_t)2 << steps) - 1);
	default: return random_at(index);
	}
}

static void make_integers(struct test *test)
{
	const struct srt_problem *problem = &test->kernel->problem;
	bool is_signed = srt_type_is_signed(problem->input_type);
	uint64_t total = 0;

	for (uint64_t i = 0; i < test->count; i++) {
		uint64_t value = wrap(integer_at(i, test->count, problem->op, test->in_size), test->in_size, is_signed);

		total = i == 0 ? value : combine_integers(total, value, problem->op, is_signed);
		total = wrap(total, test->in_size, is_signed);
		/* The devices and their hosts are little-endian. */
		memcpy(test->in + i * test->in_size, &value, test->in_size);
		memcpy(test->expected + (i + 1) * test->out_size, &total, test->out_size);
	}
}

/* What an exclusive scan begins with. */
static void put_identity(unsigned char *to, const struct srt_problem *problem, size_t size)
{
	static const double of_floats[] = { [SCANRT_SUM] = 0, [SCANRT_PROD] = 1, [SCANRT_MIN] = INFINITY,
		[SCANRT_MAX] = -INFINITY };
	unsigned bits = 8 * (unsigned)size - srt_type_is_signed(problem->input_type);
	uint64_t most = ~(uint64_t)0 >> (64 - bits);
	uint64_t value = 0;

	if (srt_type_is_float(problem->input_type)) {
		put_float(to, problem->output_type, of_floats[problem->op]);
		return;
	}
	switch (problem->op) {
	case SCANRT_PROD: value = 1; break;
	case SCANRT_MIN: value = most; break;
	case SCANRT_MAX: value = srt_type_is_signed(problem->input_type) ? ~most : 0; break;
	case SCANRT_AND: value = ~(uint64_t)0; break;
	default: break;
	}
	memcpy(to, &value, size);
}

/* ---- The scan ---- */

static size_t guarded_bytes(const struct test *test)
{
	return test->count * test->out_size + 2 * GUARD;
}

static int make_values(struct test *test)
{
	test->in = malloc(test->count * test->in_size);
	test->expected = malloc((test->count + 1) * test->out_size);
	test->seen = malloc(guarded_bytes(test));
	if (!test->in || !test->expected || !test->seen)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory to test a kernel in");
	put_identity(test->expected, &test->kernel->problem, test->out_size);
	if (srt_type_is_float(test->kernel->problem.input_type))
		make_floats(test);
	else
		make_integers(test);
	return SCANRT_OK;
}

static int open_device(struct test *test)
{
	const struct srt_driver *driver = test->driver;
	size_t workspace = srt_variant_workspace(&test->kernel->variant, &test->kernel->problem, test->count);
	int status = SRT_CALL(driver, cuMemAlloc, (&test->device_in, test->count * test->in_size));

	if (!status)
		status = SRT_CALL(driver, cuMemAlloc, (&test->device_out, guarded_bytes(test)));
	if (!status)
		status = SRT_CALL(driver, cuStreamCreate, (&test->stream, CU_STREAM_NON_BLOCKING));
	if (!status)
		status = srt_workspace_create(&test->workspace, driver, workspace);
	if (!status)
		status = srt_workspace_clear(&test->workspace, driver);
	return status;
}

static int scan(struct test *test)
{
	const struct srt_driver *driver = test->driver;
	size_t bytes = test->count * test->in_size;
	int status = SRT_CALL(driver, cuMemcpyHtoDAsync, (test->device_in, test->in, bytes, test->stream));

	if (!status)
		status = SRT_CALL(driver, cuMemsetD8Async,
			(test->device_out, FILL, guarded_bytes(test), test->stream));
	if (!status)
		status = srt_kernel_launch(test->kernel, driver, &test->workspace, test->device_out + GUARD,
			test->device_in, test->count, 0, test->stream);
	if (!status)
		status = SRT_CALL(driver, cuMemcpyDtoHAsync,
			(test->seen, test->device_out, guarded_bytes(test), test->stream));
	if (!status)
		status = SRT_CALL(driver, cuStreamSynchronize, (test->stream));
	return status;
}

static int compare(const struct test *test)
{
	size_t size = test->out_size;
	const unsigned char *expected = test->expected + (test->kernel->problem.is_exclusive ? 0 : size);
	const unsigned char *results = test->seen + GUARD, *behind = results + test->count * size;

	for (size_t i = 0; i < GUARD; i++)
		if (test->seen[i] != FILL || behind[i] != FILL)
			return srt_fail(SCANRT_ERROR_COMPILE,
				"the self-test found it wrong: a scan of %llu elements writes outside its results",
				(unsigned long long)test->count);
	for (uint64_t i = 0; i < test->count; i++)
		if (memcmp(results + i * size, expected + i * size, size) != 0)
			return srt_fail(SCANRT_ERROR_COMPILE,
				"the self-test found it wrong: of %llu elements the result %llu is another",
				(unsigned long long)test->count, (unsigned long long)i);
	return SCANRT_OK;
}

static void close_test(struct test *test)
{
	if (test->device_in)
		test->driver->cuMemFree(test->device_in);
	if (test->device_out)
		test->driver->cuMemFree(test->device_out);
	if (test->stream)
		test->driver->cuStreamDestroy(test->stream);
	srt_workspace_destroy(&test->workspace, test->driver);
	free(test->in);
	free(test->expected);
	free(test->seen);
}

int srt_self_test(const struct srt_kernel *kernel, const struct srt_driver *driver)
{
	uint64_t tile = srt_variant_tile(&kernel->variant), most = srt_variant_max_count(&kernel->variant);
	struct test test = { .kernel = kernel, .driver = driver, .count = 2 * tile + tile / 2 + 3,
		.in_size = srt_problem_size(&kernel->problem, SRT_INPUT),
		.out_size = srt_problem_size(&kernel->problem, SRT_OUTPUT) };
	int status;

	assert(srt_self_test_knows(&kernel->problem));
	/* One tile is not full, then. */
	if (test.count > most)
		test.count = most > 1 ? most - 1 : most;
	status = make_values(&test);
	if (!status)
		status = open_device(&test);
	if (!status)
		status = scan(&test);
	if (!status)
		status = compare(&test);
	close_test(&test);
	return status;
}
