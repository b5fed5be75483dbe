/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static const char *built(char *path, size_t size, const char *name)
{
	const char *top = getenv("top_builddir");

	snprintf(path, size, "%s/tests/fake/.libs/%s", top ? top : ".", name);
	return path;
}

const char *fake_driver_path(void)
{
	static char path[4096];

	return built(path, sizeof(path), "libfakecuda.so");
}

const char *fake_compiler_path(void)
{
	static char path[4096];

	return built(path, sizeof(path), "libfakenvrtc.so");
}

/* The same file gives the same object as the library's loader gets. */
static void *script_of(const char *path, const char *variable, const char *function)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *(*script)(void);

	if (!library)
		tap_bail_out("cannot load %s: %s", path, dlerror());
	*(void **)&script = dlsym(library, function);
	if (!script)
		tap_bail_out("%s has no %s", path, function);
	setenv(variable, path, 1);
	return script();
}

struct fake_driver *fake_driver(void)
{
	struct fake_driver *driver = script_of(fake_driver_path(), "SCANRT_LIBCUDA", "fake_driver_script");

	fake_driver_reset(driver);
	return driver;
}

struct fake_compiler *fake_compiler(void)
{
	struct fake_compiler *compiler = script_of(fake_compiler_path(), "SCANRT_LIBNVRTC", "fake_compiler_script");

	fake_compiler_reset(compiler);
	return compiler;
}

void fake_driver_reset(struct fake_driver *driver)
{
	*driver = (struct fake_driver){
		.device_count = 2,
		.capability = 90,
		.sm_count = 132,
		.l2_bytes = 60 << 20,
		.clock_khz = 1980000,
		.device_name = "Fake H200",
		.occupancy = 1,
		.max_threads = 1024,
	};
}

void fake_compiler_reset(struct fake_compiler *compiler)
{
	*compiler = (struct fake_compiler){ .newest = 120 };
}

void fake_set_current(struct fake_driver *driver, bool is_set)
{
	void *library = dlopen(fake_driver_path(), RTLD_NOW | RTLD_LOCAL);
	void (*set)(bool);

	(void)driver;
	*(void **)&set = dlsym(library, "fake_driver_current");
	set(is_set);
	dlclose(library);
}

int fake_held(const struct fake_driver *driver)
{
	return driver->modules + driver->allocations + driver->streams + driver->links + driver->retained +
		driver->depth;
}
