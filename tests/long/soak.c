/* SPDX-License-Identifier: MIT
 *
 * Random variants of random problems at random counts and places, for as long as SCANRT_SOAK_SECONDS says (60).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../device.h"

struct soak {
	struct test_device device;
	struct srt_workspace workspace;
	struct test_random random;
	uint64_t largest;
	unsigned kernels;
	unsigned scans;
};

static int pick(struct soak *soak, const int *from, unsigned count)
{
	return from[test_draw(&soak->random, count)];
}

static void random_problem(struct soak *soak, struct srt_problem *problem)
{
	static const int ops[] = { SCANRT_SUM, SCANRT_PROD, SCANRT_MIN, SCANRT_MAX, SCANRT_AND, SCANRT_OR, SCANRT_XOR,
		SRT_OP_LAST, SRT_OP_AFFINE };
	int type;
	int op;

	do {
		type = 1 + (int)test_draw(&soak->random, SCANRT_F64);
		op = pick(soak, ops, 9);
	} while (!srt_op_takes(op, type));
	test_problem(problem, op, type, type, type, test_draw(&soak->random, 2));
	if (test_draw(&soak->random, 2))
		test_problem_set_initial(problem, soak->random.drawn);
}

static void random_variant(struct soak *soak, struct srt_variant *variant, const struct srt_problem *problem)
{
	int stages = 2 + (int)test_draw(&soak->random, 7);
	char text[SRT_VARIANT_TEXT_SIZE];
	int used;
	static const char *const strategies[] = { "block", "lookback", "lookahead" };
	static const char *const accesses[] = { "plain", "stream" };
	unsigned strategy = (unsigned)test_draw(&soak->random, 3);

	used = snprintf(text, sizeof(text), "%s,block=%d,items=%d,warp=%s,load=%s,store=%s,residency=%d",
		strategies[strategy], 32 * (1 + (int)test_draw(&soak->random, 32)),
		(1 + (int)test_draw(&soak->random, 8)) * srt_problem_vector(problem),
		test_draw(&soak->random, 2) ? "shuffle" : "shared", accesses[test_draw(&soak->random, 2)],
		accesses[test_draw(&soak->random, 2)], 1 + (int)test_draw(&soak->random, 2));
	if (strategy == 2)
		snprintf(text + used, sizeof(text) - (size_t)used, ",stages=%d,ahead=%d,gather=%d", stages,
			1 + (int)test_draw(&soak->random, (uint64_t)stages - 1), 1 + (int)test_draw(&soak->random, 8));
	test_need(srt_variant_parse(variant, text));
}

static bool run_kernel(struct soak *soak, const struct srt_kernel *kernel)
{
	struct reference reference;
	uint64_t limit = srt_variant_max_count(&kernel->variant);
	bool passes = true;

	if (limit > soak->largest)
		limit = soak->largest;
	reference_create(&reference, &kernel->problem, REFERENCE_EXACT, soak->random.drawn, limit);
	for (unsigned i = 0; i < 12 && passes; i++, soak->scans++) {
		uint64_t bound = i % 3 ? 1 + limit / 50 : limit;
		struct test_scan scan = { &reference, kernel, &soak->workspace, 1 + test_draw(&soak->random, bound),
			test_draw(&soak->random, 32), test_draw(&soak->random, 32), test_draw(&soak->random, 4) == 0,
			(uint32_t)test_draw(&soak->random, 3) };

		passes = test_scan_passes(&soak->device, &scan);
	}
	reference_destroy(&reference);
	return passes;
}

/* A variant that the device cannot hold is refused, which is right too. */
static bool one_kernel(struct soak *soak)
{
	struct srt_problem problem;
	struct srt_variant variant;
	struct srt_kernel kernel;
	bool passes;
	int status;

	random_problem(soak, &problem);
	random_variant(soak, &variant, &problem);
	status = test_kernel_try(&kernel, &soak->device, &problem, &variant, SRT_CODEGEN_AUTO);
	if (status == SCANRT_ERROR_VARIANT)
		return true;
	test_need(status);
	soak->kernels++;
	passes = run_kernel(soak, &kernel);
	test_kernel_destroy(&kernel, &soak->device);
	return passes;
}

int main(void)
{
	const char *wanted = getenv("SCANRT_LONG");
	const char *seconds = getenv("SCANRT_SOAK_SECONDS");
	time_t end = time(NULL) + (seconds ? atol(seconds) : 60);
	struct soak soak = { 0 };
	bool passes = true;

	if (!wanted || strcmp(wanted, "1") != 0)
		tap_skip_all("the soak takes minutes: SCANRT_LONG=1 or make check-long runs it");
	test_device_open(&soak.device);
	soak.random.seed = getenv("SCANRT_TEST_SEED") ? soak.device.seed : (uint64_t)time(NULL);
	tap_diag("soak seed %llu", (unsigned long long)soak.random.seed);
	alarm((unsigned)(end - time(NULL)) + 300);
	soak.largest = test_cap(&soak.device, 2000000);
	test_workspace_create(&soak.workspace, &soak.device, soak.largest);
	tap_plan(0);
	while (passes && time(NULL) < end)
		passes = one_kernel(&soak);
	tap_ok(passes, "B073 B093: %u scans by %u random kernels are right", soak.scans, soak.kernels);
	srt_workspace_destroy(&soak.workspace, soak.device.driver);
	test_device_close(&soak.device);
	return tap_done();
}
