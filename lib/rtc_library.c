/* SPDX-License-Identifier: MIT
 *
 * Finding NVRTC's file and loading it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "rtc_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadable.h"
#include "status.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const sonames[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2" };

/* Where configure found NVRTC, or "": a build folder works with what it was built with. */
#ifndef SRT_NVRTC_DIR
#define SRT_NVRTC_DIR ""
#endif

/* A file that is there and does not load (too little memory, another machine's) is what went wrong, and not that the
 * other places have none. */
static void *try_path(const char *path, char *why, size_t size)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const char *reason = library ? NULL : dlerror();

	if (reason && !why[0] && access(path, F_OK) == 0)
		snprintf(why, size, "; %s", reason);
	return library;
}

static void *try_directory(const char *directory, const char *below, char *why, size_t size)
{
	char path[512];
	void *library = NULL;
	size_t i;

	if (directory[0] == '\0')
		return NULL;
	for (i = 0; i < COUNT_OF(sonames) && !library; i++)
		if (snprintf(path, sizeof(path), "%s%s/%s", directory, below, sonames[i]) < (int)sizeof(path))
			library = try_path(path, why, size);
	return library;
}

static void *find_library(char *why, size_t size)
{
	const char *home = secure_getenv("CUDA_HOME");
	void *library = NULL;
	size_t i;

	for (i = 0; i < COUNT_OF(sonames) && !library; i++)
		library = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		library = try_directory(SRT_NVRTC_DIR, "", why, size);
	if (!library && home)
		library = try_directory(home, "/lib64", why, size);
	if (!library)
		library = try_directory("/usr/local/cuda", "/lib64", why, size);
	return library;
}

int srt_rtc_library_open(void **library, const char *asked)
{
	char why[512] = "";

	if (strcmp(asked, "/") == 0)
		return srt_fail(SCANRT_ERROR_NO_COMPILER, "SCANRT_LIBNVRTC is set to nothing: no NVRTC is to be used");
	if (asked[0] && !srt_is_loadable(asked))
		return srt_fail(SCANRT_ERROR_NO_COMPILER, "SCANRT_LIBNVRTC: %s is no regular file", asked);
	if (asked[0]) {
		*library = dlopen(asked, RTLD_NOW | RTLD_LOCAL);
		if (!*library)
			return srt_fail(SCANRT_ERROR_NO_COMPILER, "SCANRT_LIBNVRTC: %s", dlerror());
		return SCANRT_OK;
	}
	*library = find_library(why, sizeof(why));
	if (!*library)
		return srt_fail(SCANRT_ERROR_NO_COMPILER,
			"found no %s, %s or %s where the loader looks, in CUDA_HOME or in /usr/local/cuda%s",
			sonames[0], sonames[1], sonames[2], why);
	return SCANRT_OK;
}

/* NVRTC opens its built-ins by their bare name when it first compiles.  The dynamic loader finds them in the system's
 * folders only, but also among what is loaded already: so a toolkit or a wheel in any folder works.  Where they cannot
 * be loaded from here, NVRTC still looks for itself, and its own error says what is missing. */
void srt_rtc_library_open_builtins(const char *path, int major, int minor)
{
	char name[512];
	const char *slash = strrchr(path, '/');

	if (!slash)
		return;
	if (snprintf(name, sizeof(name), "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - path), path, major, minor) <
		(int)sizeof(name))
		dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
