/* SPDX-License-Identifier: MIT */
#include "tests/emu/faults.h"

#include <stdio.h>
#include <string.h>

#define WORDS 1024
#define SEEDS 100

struct target {
	int arch;
	unsigned cluster;
};

static CUresult run(struct emu_result *result, const struct fault *fault, struct target target, int is_faulty,
		uint64_t seed)
{
	struct emu_machine *machine = machine_open();
	unsigned words[WORDS];
	char text[8192];
	struct machine_launch launch = { .grid = fault->grid, .block = fault->block,
		.dynamic_shared = fault->dynamic_shared, .cluster = target.cluster, .seed = seed };
	struct emu_module *module;
	CUresult code;

	snprintf(text, sizeof text, "%s\nextern \"C\" __global__ void faulty(unsigned *out, const unsigned *in, "
			"unsigned *freed)\n{\n%s\n}\n", fault->before ? fault->before : "", fault->body);
	launch.module = module = machine_load_cuda(machine, text, target.arch, is_faulty);
	memset(words, 0, sizeof words);
	launch.parameter[0] = machine_buffer(machine, words, sizeof words);
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = i;
	launch.parameter[1] = machine_buffer(machine, words, sizeof words);
	launch.parameter[2] = machine_buffer(machine, words, sizeof words);
	emu_memory_free(machine, launch.parameter[2]);
	code = machine_run(result, machine, &launch);
	emu_module_destroy(module);
	emu_machine_destroy(machine);
	return code;
}

static void test_fault(const struct fault *fault, struct target target)
{
	struct emu_result result;
	CUresult code = CUDA_SUCCESS;

	for (uint64_t seed = 0; seed < (fault->needs_seeds ? SEEDS : 1) && code == CUDA_SUCCESS; seed++)
		code = run(&result, fault, target, 1, seed);
	if (code != fault->code || !strstr(result.text, fault->text))
		tap_diag("wanted %d \"%s\", seen %d \"%s\"", fault->code, fault->text, code, result.text);
	tap_ok(code == fault->code && strstr(result.text, fault->text) && strstr(result.text, "kernel faulty"),
			"%s is caught", fault->name);
}

static void test_twin(const struct fault *fault, struct target target)
{
	struct emu_result result = { .code = CUDA_SUCCESS };
	uint64_t seed = 0;

	while (seed < (fault->needs_seeds ? SEEDS : 12) && run(&result, fault, target, 0, seed) == CUDA_SUCCESS)
		seed++;
	if (result.code != CUDA_SUCCESS)
		tap_diag("seed %u: %s", (unsigned)seed, result.text);
	tap_ok(result.code == CUDA_SUCCESS, "the same kernel without %s passes", fault->name);
}

void faults_test_cluster(const struct fault *faults, int arch, unsigned cluster)
{
	for (; faults->name; faults++) {
		test_fault(faults, (struct target){ arch, cluster });
		test_twin(faults, (struct target){ arch, cluster });
	}
}

void faults_test(const struct fault *faults, int arch)
{
	faults_test_cluster(faults, arch, 0);
}
