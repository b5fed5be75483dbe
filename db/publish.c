/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"
#include "status.h"

/* A rename is on the disk once its directory is. */
static int synchronise(const char *path, int flags)
{
	int descriptor = open(path, flags | O_CLOEXEC);
	int status = SCANRT_OK;

	if (descriptor < 0 || fsync(descriptor) != 0)
		status = srt_db_fail_errno(path, "write it to the disk");
	if (descriptor >= 0)
		close(descriptor);
	return status;
}

static int synchronise_parent(const char *path)
{
	char *directory = strdup(path);
	char *slash = directory ? strrchr(directory, '/') : NULL;
	int status = SCANRT_OK;

	if (slash) {
		*slash = '\0';
		status = synchronise(slash == directory ? "/" : directory, O_RDONLY | O_DIRECTORY);
	}
	free(directory);
	return status;
}

/* VACUUM INTO copies one state of the database, without the holes, and without its lock for longer than that takes. */
static int copy_to(struct srt_db *db, const char *aside)
{
	int status;

	unlink(aside); /* an earlier process of the same number may have died here */
	status = srt_db_execute(db, "VACUUM INTO ?", "s", aside);
	if (status == SCANRT_OK && chmod(aside, 0644) != 0)
		status = srt_db_fail_errno(aside, "set its mode");
	return status == SCANRT_OK ? synchronise(aside, O_RDONLY) : status;
}

int srt_db_publish(struct srt_db *db, const char *path)
{
	struct srt_strbuf aside = { 0 };
	int status = srt_db_make_parents(path, 0755);

	srt_strbuf_printf(&aside, "%s.new-%ld", path, (long)getpid());
	if (status == SCANRT_OK && aside.failed)
		status = srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "%s: no memory to write it", path);
	if (status == SCANRT_OK)
		status = copy_to(db, srt_strbuf_text(&aside));
	if (status == SCANRT_OK && rename(srt_strbuf_text(&aside), path) != 0)
		status = srt_db_fail_errno(path, "replace it");
	if (status == SCANRT_OK)
		status = synchronise_parent(path);
	else if (!aside.failed)
		unlink(srt_strbuf_text(&aside));
	srt_strbuf_free(&aside);
	return status;
}
