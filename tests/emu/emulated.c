/* SPDX-License-Identifier: MIT */
#include "emulated.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

void emulated_open(struct test_device *device)
{
	const char *folder = getenv("top_builddir"), *nvrtc = getenv("NVRTC_DIR");
	char path[4096];

	if (nvrtc != NULL && *nvrtc == '\0')
		tap_skip_all("no NVRTC");
	snprintf(path, sizeof(path), "%s/.libs/libscanrt-emu.so", folder == NULL ? "." : folder);
	setenv("SCANRT_DRIVER", "emu", 1);
	setenv("SCANRT_LIBCUDA", path, 1);
	setenv("SCANRT_REQUIRE_GPU", "1", 1);
	setenv("SCANRT_TEST_MAX_COUNT", "20000", 0);
	test_device_open(device);
	/* The library has loaded it already; this only finds it. */
	library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	if (library == NULL)
		tap_bail_out("%s", dlerror());
}

static void set_number(const char *name, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	setenv(name, text, 1);
}

void emulated_schedule(uint64_t seed, unsigned resident)
{
	set_number("SCANRT_EMU_SEED", seed);
	set_number("SCANRT_EMU_RESIDENT", resident);
}

void emulated_totals(struct emu_counters *counters, uint64_t *launches)
{
	void *symbol = dlsym(library, "scanrtEmuCounters");
	__typeof__(scanrtEmuCounters) *sum;

	memcpy(&sum, &symbol, sizeof(symbol));
	sum(counters, sizeof(*counters), launches);
}

void emulated_last_launch(struct emu_launch_record *record)
{
	void *symbol = dlsym(library, "scanrtEmuLastLaunch");
	__typeof__(scanrtEmuLastLaunch) *last_launch;

	memcpy(&last_launch, &symbol, sizeof(symbol));
	last_launch(record, sizeof(*record));
}
