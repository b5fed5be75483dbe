/* SPDX-License-Identifier: MIT
 *
 * A target for libFuzzer, built by hand, since it needs clang:
 *
 *	clang -O1 -g -fno-strict-aliasing -fsanitize=fuzzer,address,undefined -Iemu -I$CUDA/include -o fuzz_ptx \
 *		tests/emu/fuzz_ptx.c $(ls emu/[a-z]*.c | grep -v driver_) -lm -lpthread
 *	./fuzz_ptx -max_total_time=600 -max_len=6000 corpus
 *
 * The corpus is a folder of PTX texts.
 */
#include "machine.h"
#include "module.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t bytes);

/* What is taken is loaded as well; what is refused has a reason. */
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t bytes)
{
	static const struct emu_limits limits = { .major = 9, .sms = 1, .memory_bytes = UINT64_C(64) << 20 };
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
	emu_module_load(module, machine, &error);
	emu_module_destroy(module);
	emu_machine_destroy(machine);
	return 0;
}
