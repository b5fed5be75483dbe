/* SPDX-License-Identifier: MIT
 *
 * Every instruction on the emulated machine, against the host.
 */
#include "tests/emu/instruction.h"
#include "tests/emu/machine.h"

static bool run(void *context, uint64_t *out, const char *text, const uint64_t *in)
{
	struct emu_machine *machine = machine_open();
	struct emu_module *module = machine_load_ptx(machine, text);
	struct machine_launch launch = { .module = module, .grid = INSTRUCTION_CASES / INSTRUCTION_BLOCK,
		.block = INSTRUCTION_BLOCK };
	struct emu_result result;
	bool has_run;

	(void)context;
	launch.parameter[0] = machine_buffer(machine, NULL, INSTRUCTION_CASES * sizeof *out);
	launch.parameter[1] = machine_buffer(machine, in, INSTRUCTION_CASES * 3 * sizeof *in);
	has_run = machine_run(&result, machine, &launch) == CUDA_SUCCESS;
	if (has_run)
		machine_fetch(out, machine, launch.parameter[0], INSTRUCTION_CASES * sizeof *out);
	else
		tap_diag("%s", result.text);
	emu_module_destroy(module);
	emu_machine_destroy(machine);
	return has_run;
}

int main(void)
{
	tap_plan(0);
	instruction_test_all(run, NULL);
	return tap_done();
}
