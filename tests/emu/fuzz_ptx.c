/* SPDX-License-Identifier: MIT
 *
 * A target for libFuzzer, built by hand, since it needs clang:
 *
 *	clang -O1 -g -fno-strict-aliasing -fsanitize=fuzzer,address,undefined -I. -Iemu -I$CUDA/include -o fuzz_ptx \
 *		tests/emu/fuzz_ptx.c $(ls emu/[a-z]*.c | grep -v driver_) -lm -lpthread
 *	./fuzz_ptx -max_total_time=600 -max_len=6000 corpus
 *
 * The corpus is a folder of PTX texts.
 */
#include "emu/machine.h"
#include "emu/module.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t bytes);

/* Runs what was loaded, for a while and with parameters of zero: a module may fail in any way but this program's. */
static void run(struct emu_machine *machine, const struct emu_module *module)
{
	static const unsigned char parameters[4096];
	struct emu_launch launch = { .module = module, .entry = emu_module_entry_at(module, 0), .grid = { 2, 1, 1 },
		.block = { 40, 1, 1 }, .parameters = parameters, .parameter_bytes = sizeof parameters,
		.instruction_limit = 2000 };
	struct emu_result result;

	for (launch.seed = 0; launch.entry && launch.seed < 3; launch.seed++)
		emu_launch_run(&result, machine, &launch);
}

/* What is taken is loaded and run as well; what is refused has a reason. */
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t bytes)
{
	static const struct emu_limits limits = { .major = 9, .sms = 1, .warps_per_sm = 64, .blocks_per_sm = 32,
		.registers_per_sm = 65536, .registers_per_block = 65536, .registers_per_thread = 255,
		.shared_per_sm = 233472, .shared_per_block = 49152, .shared_per_block_optin = 232448,
		.threads_per_block = 1024, .cluster_blocks = 8, .memory_bytes = UINT64_C(64) << 20 };
	struct emu_machine *machine;
	struct emu_module *module;
	struct emu_error error;

	if (emu_module_parse(&module, (const char *)text, bytes, &error) != CUDA_SUCCESS) {
		if (!error.text[0])
			abort();
		return 0;
	}
	if (emu_machine_create(&machine, &limits) != CUDA_SUCCESS)
		abort();
	if (emu_module_load(module, machine, &error) == CUDA_SUCCESS)
		run(machine, module);
	emu_module_destroy(module);
	emu_machine_destroy(machine);
	return 0;
}
