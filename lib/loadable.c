/* SPDX-License-Identifier: MIT */
#include "loadable.h"

#include <string.h>
#include <sys/stat.h>

bool srt_is_loadable(const char *path)
{
	struct stat facts;

	return !strchr(path, '/') || stat(path, &facts) != 0 || S_ISREG(facts.st_mode);
}
