/* SPDX-License-Identifier: MIT */
#include "tests/emu/machine.h"

#include "lib/rtc.h"
#include "lib/scanrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct emu_machine *machine_open(void)
{
	static const struct emu_limits limits = {
		.major = 9, .minor = 0, .sms = 4, .warps_per_sm = 64, .blocks_per_sm = 32, .registers_per_sm = 65536,
		.registers_per_block = 65536, .registers_per_thread = 255, .shared_per_sm = 233472,
		.shared_per_block = 49152, .shared_per_block_optin = 232448, .shared_reserved = 1024,
		.threads_per_block = 1024, .cluster_blocks = 8, .memory_bytes = UINT64_C(1) << 30,
	};
	struct emu_machine *machine;

	if (emu_machine_create(&machine, &limits) != CUDA_SUCCESS)
		tap_bail_out("no machine");
	return machine;
}

static struct emu_module *load(struct emu_machine *machine, const char *text, size_t bytes, struct emu_error *error)
{
	struct emu_module *module;

	if (emu_module_parse(&module, text, bytes, error) != CUDA_SUCCESS)
		return NULL;
	if (emu_module_load(module, machine, error) == CUDA_SUCCESS)
		return module;
	emu_module_destroy(module);
	return NULL;
}

struct emu_module *machine_try_ptx(struct emu_machine *machine, const char *text, struct emu_error *error)
{
	static const char head[] = ".version 9.0\n.target sm_90\n.address_size 64\n";
	char *whole = malloc(sizeof head + strlen(text));
	struct emu_module *module;

	if (!whole)
		tap_bail_out("out of memory");
	strcpy(whole, head);
	strcat(whole, text);
	module = load(machine, whole, strlen(whole), error);
	free(whole);
	return module;
}

struct emu_module *machine_load_ptx(struct emu_machine *machine, const char *text)
{
	struct emu_error error;
	struct emu_module *module = machine_try_ptx(machine, text, &error);

	if (!module)
		tap_bail_out("%s in: %s", error.text, text);
	return module;
}

static void *compile(size_t *bytes, const char *text, int arch, int fault)
{
	const struct srt_source sources[] = { { "test.cu", text, strlen(text) }, { NULL, NULL, 0 } };
	char architecture[40], define[40];
	const char *const options[] = { architecture, "--std=c++17", "--device-as-default-execution-space", define };
	const struct srt_rtc_job job = { sources, "test.cu", options, 4, true };
	const struct srt_rtc *rtc;
	struct srt_strbuf log = { 0 };
	void *ptx;

	snprintf(architecture, sizeof architecture, "--gpu-architecture=compute_%d", arch);
	snprintf(define, sizeof define, "-DFAULT=%d", fault);
	if (srt_rtc_open(&rtc))
		tap_bail_out("no NVRTC: %s", scanrt_last_error());
	if (srt_rtc_compile(&ptx, bytes, rtc, &job, &log))
		tap_bail_out("the test's kernel does not compile: %s", srt_strbuf_text(&log));
	srt_strbuf_free(&log);
	return ptx;
}

/* A kernel is run with many seeds in turn, and compiling it takes longer than that: the latest one is kept. */
struct emu_module *machine_load_cuda(struct emu_machine *machine, const char *text, int arch, int fault)
{
	static char *kept;
	static int kept_arch, kept_fault;
	static void *ptx;
	static size_t bytes;
	struct emu_module *module;
	struct emu_error error;

	if (!kept || strcmp(kept, text) != 0 || kept_arch != arch || kept_fault != fault) {
		free(kept);
		free(ptx);
		kept = strdup(text);
		kept_arch = arch;
		kept_fault = fault;
		ptx = compile(&bytes, text, arch, fault);
	}
	module = load(machine, ptx, bytes, &error);
	if (!module)
		tap_bail_out("%s in: %s", error.text, (const char *)ptx);
	return module;
}

uint64_t machine_buffer(struct emu_machine *machine, const void *host, size_t bytes)
{
	uint64_t address;

	if (emu_memory_alloc(&address, machine, bytes) != CUDA_SUCCESS ||
			(host && emu_memory_write(machine, address, host, bytes) != CUDA_SUCCESS))
		tap_bail_out("no device memory");
	return address;
}

void machine_fetch(void *host, struct emu_machine *machine, uint64_t address, size_t bytes)
{
	if (emu_memory_read(host, machine, address, bytes) != CUDA_SUCCESS)
		tap_bail_out("device memory cannot be read");
}

static void lay_out(unsigned char *buffer, size_t size, const struct emu_entry *entry, const uint64_t *parameter)
{
	size_t offset, bytes;

	memset(buffer, 0, size);
	for (size_t i = 0; i < MACHINE_MOST_PARAMETERS; i++) {
		if (emu_entry_parameter(&offset, &bytes, entry, i) != CUDA_SUCCESS)
			return;
		if (bytes > 8 || offset + bytes > size)
			tap_bail_out("a parameter of %zu bytes", bytes);
		memcpy(buffer + offset, &parameter[i], bytes);
	}
}

CUresult machine_run(struct emu_result *result, struct emu_machine *machine, const struct machine_launch *launch)
{
	unsigned char parameters[MACHINE_MOST_PARAMETERS * 8];
	const struct emu_entry *entry = launch->entry ? emu_module_entry(launch->module, launch->entry) :
		emu_module_entry_at(launch->module, 0);
	struct emu_launch full = { .module = launch->module, .entry = entry, .grid = { launch->grid, 1, 1 },
		.block = { launch->block, 1, 1 }, .cluster = { launch->cluster, launch->cluster ? 1 : 0,
		launch->cluster ? 1 : 0 }, .dynamic_shared = launch->dynamic_shared, .parameters = parameters,
		.parameter_bytes = sizeof parameters, .seed = launch->seed };

	if (!entry)
		tap_bail_out("no kernel %s", launch->entry ? launch->entry : "");
	lay_out(parameters, sizeof parameters, entry, launch->parameter);
	return emu_launch_run(result, machine, &full);
}

uint64_t machine_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}
