/* SPDX-License-Identifier: MIT
 *
 * A program that runs with more rights than its caller is not led anywhere by the caller's environment: neither to a
 * database, nor to a place to write to.  This program makes a set-user-ID copy of itself and starts it as nobody.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/catalog.h"
#include "../../lib/log.h"
#include "db.h"
#include "tests/folder.h"
#include "tests/tap.h"

#define NOBODY 65534
#define NO_RIGHTS 77 /* the exit status of a copy that was given none: the file system may be mounted so */

/* ---- With more rights ---- */

/* Prints what it finds, for the caller to judge. */
static int look(void)
{
	struct srt_catalog catalog;
	struct srt_log log;
	struct srt_strbuf path = { 0 };

	if (!getauxval(AT_SECURE))
		return NO_RIGHTS;
	srt_db_user_path(&path);
	printf("user=%s\n", srt_strbuf_text(&path));
	srt_strbuf_free(&path);
	if (srt_catalog_init(&catalog, NULL) != 0)
		return 1;
	for (size_t i = 0; i < catalog.count; i++)
		printf("file=%s\n", catalog.paths[i]);
	printf("cache=%s\n", catalog.cache ? catalog.cache : "");
	srt_catalog_free(&catalog);
	if (srt_log_open(&log, NULL, NULL) != 0)
		return 1;
	srt_log_line(&log, "written");
	srt_log_close(&log);
	return 0;
}

/* ---- The caller ---- */

static void copy_itself(const char *to)
{
	char buffer[1 << 16];
	int from = open("/proc/self/exe", O_RDONLY);
	int copy = open(to, O_WRONLY | O_CREAT | O_EXCL, 0700);
	ssize_t size;

	if (from < 0 || copy < 0)
		tap_bail_out("cannot copy the program: %s", strerror(errno));
	while ((size = read(from, buffer, sizeof buffer)) > 0)
		if (write(copy, buffer, (size_t)size) != size)
			tap_bail_out("cannot copy the program: %s", strerror(errno));
	close(from);
	/* The set-user-ID bit does not survive a write. */
	if (fchmod(copy, 04755) != 0 || close(copy) != 0)
		tap_bail_out("cannot give the copy its rights: %s", strerror(errno));
}

static void become_nobody_and_look(const char *program, int out)
{
	const char *hostile = folder("setuid");
	char database[4200], log[4200];

	snprintf(database, sizeof database, "%s/hostile.db", hostile);
	snprintf(log, sizeof log, "%s/open/log", hostile);
	setenv("SCANRT_DB", database, 1);
	setenv("SCANRT_LOG", log, 1);
	setenv("SCANRT_WRITE_CACHE", "1", 1);
	setenv("HOME", hostile, 1);
	setenv("XDG_CACHE_HOME", hostile, 1);
	if (dup2(out, STDOUT_FILENO) < 0 || setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
		_exit(1);
	execl(program, program, "look", (char *)NULL);
	_exit(1);
}

/* What the copy printed, and how it ended. */
static int run_copy(char *text, size_t size, const char *program)
{
	size_t used = 0;
	ssize_t got;
	int ends[2], status = 1;
	pid_t child;

	if (pipe(ends) != 0)
		tap_bail_out("no pipe: %s", strerror(errno));
	fflush(stdout);
	child = fork();
	if (child == 0)
		become_nobody_and_look(program, ends[1]);
	close(ends[1]);
	while (used + 1 < size && (got = read(ends[0], text + used, size - 1 - used)) > 0)
		used += (size_t)got;
	text[used] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool can_run(void)
{
#ifdef __SANITIZE_ADDRESS__
	return false; /* which looks into /proc/self, and may not */
#else
	return geteuid() == 0;
#endif
}

int main(int argument_count, char **arguments)
{
	char program[4200], place[4200], text[4096];
	int status;

	if (argument_count > 1 && strcmp(arguments[1], "look") == 0)
		return look();
	if (!can_run())
		tap_skip_all("only the superuser can make a set-user-ID program");
	snprintf(program, sizeof program, "%s/program", folder("setuid"));
	snprintf(place, sizeof place, "%s/open", folder("setuid"));
	if (chmod(folder("setuid"), 0755) != 0 || mkdir(place, 0700) != 0 || chmod(place, 0777) != 0)
		tap_bail_out("no folder for all: %s", strerror(errno));
	copy_itself(program);
	status = run_copy(text, sizeof text, program);
	if (status == NO_RIGHTS)
		tap_skip_all("the file system gives no program another user's rights");
	tap_plan(0);
	tap_is_int(status, 0, "a program with more rights than its caller comes to its end");
	tap_contains(text, "user=\n", "HOME and XDG_CACHE_HOME lead it to no file of the caller's");
	tap_lacks(text, "hostile", "SCANRT_DB to none either");
	tap_contains(text, "/lib/scanrt/tune.db\n", "the machine's file is looked at");
	tap_contains(text, "cache=\n", "SCANRT_WRITE_CACHE has it write nothing");
	snprintf(place, sizeof place, "%s/open/log", folder("setuid"));
	tap_ok(access(place, F_OK) != 0, "nor does SCANRT_LOG");
	return tap_done();
}
