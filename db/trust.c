/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

static bool is_owner_trusted(const struct stat *file)
{
	return file->st_uid == 0 || file->st_uid == geteuid();
}

static bool distrust(struct srt_strbuf *reason, const char *path, const char *why)
{
	if (reason)
		srt_strbuf_printf(reason, "%s %s", path, why);
	return false;
}

/* In a sticky directory, such as /tmp, only the owner of a file may replace it. */
static bool is_directory_trusted(const char *path, struct srt_strbuf *reason)
{
	struct stat directory;

	if (stat(path, &directory) != 0)
		return distrust(reason, path, "cannot be examined");
	if (!is_owner_trusted(&directory))
		return distrust(reason, path, "is owned by another user");
	if ((directory.st_mode & (S_IWGRP | S_IWOTH)) && !((directory.st_mode & S_ISVTX) && directory.st_uid == 0))
		return distrust(reason, path, "is writable by group or others");
	return true;
}

/* `path` is absolute; it is changed and put back. */
static bool are_parents_trusted(char *path, struct srt_strbuf *reason)
{
	bool is_trusted = is_directory_trusted("/", reason);
	char *slash;

	for (slash = strchr(path + 1, '/'); is_trusted && slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		is_trusted = is_directory_trusted(path, reason);
		*slash = '/';
	}
	return is_trusted;
}

/* The file that was opened, not one that has taken its name since. */
static bool is_file_trusted(const struct srt_db *db, const char *path, struct srt_strbuf *reason)
{
	struct stat file;

	if (stat(path, &file) != 0)
		return distrust(reason, path, "cannot be examined");
	if (file.st_ino != db->inode || file.st_dev != db->filesystem)
		return distrust(reason, path, "has been replaced since it was opened");
	if (!is_owner_trusted(&file))
		return distrust(reason, path, "is owned by another user");
	if (file.st_mode & (S_IWGRP | S_IWOTH))
		return distrust(reason, path, "is writable by group or others");
	return true;
}

static bool make_absolute(struct srt_strbuf *absolute, const char *path)
{
	char directory[PATH_MAX];

	if (path[0] != '/') {
		if (!getcwd(directory, sizeof(directory)))
			return false;
		srt_strbuf_printf(absolute, "%s/", directory);
	}
	srt_strbuf_append(absolute, path);
	return !absolute->failed;
}

/* Both as named and as resolved: whoever may change a symbolic link on the way may lead us elsewhere, and whoever may
 * change the directories that it leads through may as well. */
bool srt_db_is_trusted(const struct srt_db *db, struct srt_strbuf *reason)
{
	struct srt_strbuf absolute = { 0 };
	char *resolved = realpath(db->path, NULL);
	bool is_trusted;

	if (!resolved || !make_absolute(&absolute, db->path))
		is_trusted = distrust(reason, db->path, "cannot be resolved");
	else
		is_trusted = is_file_trusted(db, resolved, reason) && are_parents_trusted(resolved, reason) &&
			(strcmp(resolved, absolute.text) == 0 || are_parents_trusted(absolute.text, reason));
	srt_strbuf_free(&absolute);
	free(resolved);
	return is_trusted;
}
