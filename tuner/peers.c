/* SPDX-License-Identifier: MIT
 *
 * The shared object of other libraries' scans.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peers.h"

#define PATH_SIZE 4096

static char message[512] = "bench/peers.so was not built: make bench, where there is an nvcc";

static const struct scanrt_peers *load(const char *path)
{
	const struct scanrt_peers *(*entry)(void);
	const struct scanrt_peers *peers;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *symbol = library ? dlsym(library, SCANRT_PEERS_SYMBOL) : NULL;

	if (symbol == NULL) {
		snprintf(message, sizeof message, "%s", dlerror());
		return NULL;
	}
	memcpy(&entry, &symbol, sizeof entry);
	peers = entry();
	if (peers->abi == SCANRT_PEERS_ABI)
		return peers;
	snprintf(message, sizeof message, "%.400s is of another version: build it again", path);
	return NULL;
}

/* The folder of the running program, without the slash. */
static bool own_folder(char folder[PATH_SIZE])
{
	ssize_t length = readlink("/proc/self/exe", folder, PATH_SIZE - 1);
	char *slash;

	if (length <= 0)
		return false;
	folder[length] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	return slash != NULL;
}

/* In a build tree scantune is above bench/; packed for another machine, libraries have a folder beside bin/. */
static const struct scanrt_peers *search(const char *file)
{
	static const char *const places[] = { "/bench/", "/", "/../lib/" };
	char folder[PATH_SIZE], path[PATH_SIZE + 32];

	for (size_t i = 0; own_folder(folder) && i < sizeof places / sizeof places[0]; i++) {
		snprintf(path, sizeof path, "%s%s%s", folder, places[i], file);
		if (access(path, R_OK) == 0)
			return load(path);
	}
	snprintf(path, sizeof path, "%s/scanrt/%s", SRT_LIBEXECDIR, file);
	return access(path, R_OK) == 0 ? load(path) : NULL;
}

const struct scanrt_peers *tune_peers_open_user(void)
{
	const char *named = getenv("SCANTUNE_PEERS");

	return named && strcmp(named, "off") == 0 ? NULL : search("peers_user.so");
}

const struct scanrt_peers *tune_peers_open(const char **reason)
{
	static const struct scanrt_peers *peers;
	static bool was_tried;
	const char *named = getenv("SCANTUNE_PEERS");

	*reason = message;
	if (was_tried)
		return peers;
	was_tried = true;
	if (named && strcmp(named, "off") == 0)
		snprintf(message, sizeof message, "SCANTUNE_PEERS=off");
	else
		peers = named && *named ? load(named) : search("peers.so");
	return peers;
}
