/* SPDX-License-Identifier: MIT
 *
 * For tests of the emulated machine itself, without the driver around it: kernels from PTX or CUDA C++, buffers,
 * launches.
 */
#ifndef TESTS_EMU_MACHINE_H
#define TESTS_EMU_MACHINE_H

#include "emu/machine.h"
#include "emu/module.h"
#include "tests/tap.h"

#define MACHINE_MOST_PARAMETERS 8

/* One machine of compute capability 9.0 with few SMs; ends the program where it cannot be made. */
struct emu_machine *machine_open(void);

/* PTX text, completed by a head (.version, .target, .address_size); ends the program where it is refused. */
struct emu_module *machine_load_ptx(struct emu_machine *machine, const char *text);
/* Null and the error where it is refused. */
struct emu_module *machine_try_ptx(struct emu_machine *machine, const char *text, struct emu_error *error);
/* CUDA C++ text through NVRTC, for sm_90 or another architecture, with FAULT defined as the number. */
struct emu_module *machine_load_cuda(struct emu_machine *machine, const char *text, int arch, int fault);

/* Device memory, written with the bytes where host is not null. */
uint64_t machine_buffer(struct emu_machine *machine, const void *host, size_t bytes);
void machine_fetch(void *host, struct emu_machine *machine, uint64_t address, size_t bytes);

struct machine_launch {
	const struct emu_module *module;
	const char *entry;               /* null: the first */
	unsigned grid, block, dynamic_shared, cluster;
	uint64_t parameter[MACHINE_MOST_PARAMETERS]; /* each of 8 bytes, or low 4 of them where the entry says so */
	uint64_t seed;
};

CUresult machine_run(struct emu_result *result, struct emu_machine *machine, const struct machine_launch *launch);

/* Repeatable numbers. */
uint64_t machine_random(uint64_t *state);

#endif
