/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "status.h"

#define KEPT_DAMAGED_FILES 2

int srt_db_fail_errno(const char *path, const char *doing)
{
	return srt_fail_database(
		SCANRT_ERROR_DATABASE, SQLITE_CANTOPEN, "%s: cannot %s: %s", path, doing, strerror(errno));
}

/* A home that is not there (/nonexistent, of services) is not ours to make, and neither is what it would lie in. */
static bool is_at_home(const char *path)
{
	const char *home = secure_getenv("HOME");
	size_t length = strlen(path);

	return home && strncmp(home, path, length) == 0 && (home[length] == '/' || home[length] == '\0');
}

/* Only directories that are made here get our mode: the others are as their owner wants them.  chmod, since the mode
 * of mkdir is subject to the umask. */
static int make_directory(const char *path, mode_t mode)
{
	struct stat facts;

	if (is_at_home(path))
		return stat(path, &facts) == 0 ? SCANRT_OK : srt_db_fail_errno(path, "find the home directory");
	if (mkdir(path, mode) == 0)
		return chmod(path, mode) == 0 ? SCANRT_OK : srt_db_fail_errno(path, "set its mode");
	return errno == EEXIST ? SCANRT_OK : srt_db_fail_errno(path, "make the directory");
}

int srt_db_make_parents(const char *path, mode_t mode)
{
	char *copy = strdup(path);
	char *slash;
	int status = copy ? SCANRT_OK : srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "%s: no memory to open it", path);

	for (slash = copy ? strchr(copy + 1, '/') : NULL; slash && status == SCANRT_OK;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		status = make_directory(copy, mode);
		*slash = '/';
	}
	free(copy);
	return status;
}

/* Exclusive: a file that is there is never opened by us, only by SQLite (see read_header for why). */
int srt_db_create_file(const char *path)
{
	int descriptor;
	int status;

	if (access(path, F_OK) == 0)
		return SCANRT_OK;
	status = srt_db_make_parents(path, 0700);
	if (status != SCANRT_OK)
		return status;
	descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (descriptor < 0)
		return errno == EEXIST ? SCANRT_OK : srt_db_fail_errno(path, "make the file");
	status = fchmod(descriptor, 0600) == 0 ? SCANRT_OK : srt_db_fail_errno(path, "set its mode");
	close(descriptor);
	return status;
}

bool srt_db_has_journal(const struct srt_db *db)
{
	struct srt_strbuf journal = { 0 };
	bool is_there;

	srt_strbuf_printf(&journal, "%s-journal", db->path);
	is_there = access(srt_strbuf_text(&journal), F_OK) == 0;
	srt_strbuf_free(&journal);
	return is_there;
}

/* ---- damaged files ---- */

/* Names of damaged files: the base name of the database and ".corrupt-".  Their journals have one more suffix. */
static bool is_damaged_name(const char *name, const char *base)
{
	size_t length = strlen(base);

	return strncmp(name, base, length) == 0 && strncmp(name + length, ".corrupt-", 9) == 0 &&
		!strstr(name + length, "-journal");
}

/* The times in the names sort as texts.  Removes the oldest one where more than are kept lie in the directory. */
static bool remove_oldest(const char *directory, const char *base)
{
	DIR *listing = opendir(directory);
	struct srt_strbuf oldest = { 0 };
	struct dirent *entry;
	int count = 0;

	while (listing && (entry = readdir(listing)))
		if (is_damaged_name(entry->d_name, base)) {
			count++;
			if (oldest.length == 0 || strcmp(entry->d_name, srt_strbuf_text(&oldest)) < 0) {
				srt_strbuf_clear(&oldest);
				srt_strbuf_append(&oldest, entry->d_name);
			}
		}
	if (count > KEPT_DAMAGED_FILES) {
		struct srt_strbuf path = { 0 };

		srt_strbuf_printf(&path, "%s/%s", directory, srt_strbuf_text(&oldest));
		if (path.failed || unlink(srt_strbuf_text(&path)) != 0)
			count = 0;
		srt_strbuf_append(&path, "-journal");
		if (count > 0)
			unlink(srt_strbuf_text(&path));
		srt_strbuf_free(&path);
	}
	srt_strbuf_free(&oldest);
	if (listing)
		closedir(listing);
	return count > KEPT_DAMAGED_FILES;
}

static void remove_surplus(const char *path)
{
	char *directory = strdup(path);
	char *slash = directory ? strrchr(directory, '/') : NULL;

	/* Every path here has a slash: plain_path saw to it. */
	if (slash) {
		*slash = '\0';
		while (remove_oldest(slash == directory ? "/" : directory, slash + 1))
			continue;
	}
	free(directory);
}

/* The first free name of this second. */
static void name_damaged(struct srt_strbuf *name, const char *path)
{
	char when[32];
	time_t now = time(NULL);
	struct tm utc;
	int again = 0;

	gmtime_r(&now, &utc);
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc);
	do {
		srt_strbuf_clear(name);
		srt_strbuf_printf(name, "%s.corrupt-%s", path, when);
		if (again++ > 0)
			srt_strbuf_printf(name, ".%d", again);
	} while (!name->failed && access(srt_strbuf_text(name), F_OK) == 0 && again < 100);
}

/* Its journal goes with it: left behind, it would be played back into the new file. */
static int move_journal(const char *from, const char *to)
{
	struct srt_strbuf old = { 0 };
	struct srt_strbuf new = { 0 };
	int status = SCANRT_OK;

	srt_strbuf_printf(&old, "%s-journal", from);
	srt_strbuf_printf(&new, "%s-journal", to);
	if (old.failed || new.failed || (rename(srt_strbuf_text(&old), srt_strbuf_text(&new)) != 0 && errno != ENOENT))
		status = srt_db_fail_errno(from, "move its damaged journal away");
	srt_strbuf_free(&old);
	srt_strbuf_free(&new);
	return status;
}

int srt_db_quarantine(struct srt_db *db)
{
	struct srt_strbuf name = { 0 };
	struct stat file;
	int status;

	/* Another writer may have come first: then the file of that name is a new one. */
	if (stat(db->path, &file) != 0 || file.st_ino != db->inode || file.st_dev != db->filesystem)
		return SCANRT_OK;
	name_damaged(&name, db->path);
	status = move_journal(db->path, srt_strbuf_text(&name));
	if (status == SCANRT_OK && (name.failed || rename(db->path, srt_strbuf_text(&name)) != 0))
		status = srt_db_fail_errno(db->path, "move the damaged file away");
	if (status != SCANRT_OK) {
		srt_strbuf_free(&name);
		return status;
	}
	remove_surplus(db->path);
	free(db->moved_to);
	db->moved_to = name.text;
	return SCANRT_OK;
}
