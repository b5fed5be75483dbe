/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

static char path[4096];
static pid_t owner;

static int remove_one(const char *name, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(name);
}

/* A journal of a writer that was killed is in no list of what a test has written. */
static void clean_up(void)
{
	if (getpid() == owner)
		nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *folder(const char *name)
{
	const char *base = getenv("TMPDIR");

	if (path[0])
		return path;
	snprintf(path, sizeof(path), "%s/scanrt-%s-XXXXXX", base && base[0] == '/' ? base : "/tmp", name);
	if (!mkdtemp(path))
		tap_bail_out("cannot make the folder %s", path);
	owner = getpid();
	atexit(clean_up);
	return path;
}
