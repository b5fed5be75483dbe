/* SPDX-License-Identifier: MIT
 *
 * SCANRT_WRITE_CACHE: what the library keeps of what it compiled, and when it leaves a file alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../db/db.h"
#include "fake.h"
#include "plan.h"
#include "tests/folder.h"
#include "tests/tap.h"

static struct fake_driver *fake;
static struct fake_compiler *compiler;
static char path[4200];

struct seen {
	int status;
	int compilations;
	char text[8192];
};

/* The fake device computes nothing: what a self-test would find is up to the test. */
static bool is_miscompiled;

static int judge(void *user, const struct srt_kernel *kernel)
{
	(void)user;
	if (is_miscompiled && kernel->variant.strategy == SRT_LOOKAHEAD)
		return srt_fail(SCANRT_ERROR_COMPILE, "the self-test found it wrong");
	return SCANRT_OK;
}

/* One process, one plan, for sums of a type. */
static void plan_once(struct seen *seen, const char *database, int type)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_context *context = NULL;
	struct scanrt_plan *plan = NULL;

	memset(seen, 0, sizeof(*seen));
	fake_driver_reset(fake);
	fake_compiler_reset(compiler);
	options.device = "0";
	options.database = database;
	problem.input_type = type;
	problem.op = SCANRT_SUM;
	seen->status = scanrt_context_create(&context, &options);
	if (!seen->status)
		context->check = judge;
	if (!seen->status)
		seen->status = scanrt_plan_create(&plan, context, &problem, NULL);
	seen->compilations = compiler->compilations;
	if (!seen->status)
		scanrt_plan_describe(plan, 1000, &description, seen->text, sizeof(seen->text));
	scanrt_plan_destroy(plan);
	scanrt_context_destroy(context);
	tap_is_int(seen->status, SCANRT_OK, "the plan is made");
}

static mode_t mode_of(const char *name)
{
	struct stat file;

	return stat(name, &file) == 0 ? file.st_mode & 07777 : 0;
}

static void test_off(void)
{
	struct seen seen;

	unsetenv("SCANRT_WRITE_CACHE");
	plan_once(&seen, path, SCANRT_I32);
	tap_ok(seen.compilations > 0, "without a database a plan compiles");
	tap_ok(access(path, F_OK) != 0, "and leaves no file where it is not asked to");
	setenv("SCANRT_WRITE_CACHE", "0", 1);
	plan_once(&seen, path, SCANRT_I32);
	tap_ok(access(path, F_OK) != 0, "nor where the value is not 1");
	setenv("SCANRT_WRITE_CACHE", "1", 1);
	plan_once(&seen, "off", SCANRT_I32);
	tap_lacks(seen.text, "kept", "nor where the database is off");
}

static void test_on(void)
{
	struct seen seen;

	plan_once(&seen, path, SCANRT_I32);
	tap_ok(seen.compilations > 0, "the first process compiles");
	tap_contains(seen.text, "is kept", "and its account tells that it keeps what came out");
	tap_is_int(mode_of(path), 0600, "in a file of its owner's alone");
	plan_once(&seen, path, SCANRT_I32);
	tap_is_int(seen.compilations, 0, "the next process compiles nothing");
	tap_lacks(seen.text, "is kept", "and keeps nothing twice");
	tap_contains(seen.text, "scantune has not verified", "and its account tells that nobody has verified it");
	plan_once(&seen, path, SCANRT_F64);
	tap_ok(seen.compilations > 0, "another problem is compiled");
	plan_once(&seen, path, SCANRT_I32);
	tap_is_int(seen.compilations, 0, "and pushes the first one out of nowhere");
}

/* B131: what was found wrong before it was kept would be found by every process after this one. */
static void test_miscompiled(void)
{
	char wrong[4200];
	struct seen seen;

	snprintf(wrong, sizeof(wrong), "%s/miscompiled.db", folder("keep"));
	is_miscompiled = true;
	plan_once(&seen, wrong, SCANRT_I32);
	tap_contains(seen.text, "the self-test found it wrong", "B131: a kernel that fails is told");
	tap_contains(seen.text, "is kept", "B131: and the others are kept");
	is_miscompiled = false;
	plan_once(&seen, wrong, SCANRT_I32);
	tap_is_int(seen.compilations, 1, "B131: it alone is not, so that a better compiler makes it anew");
}

/* The user's place, when no file is named. */
static void test_user(void)
{
	char user[4200];
	struct seen seen;

	setenv("XDG_CACHE_HOME", folder("keep"), 1);
	snprintf(user, sizeof(user), "%s/scanrt/tune.db", folder("keep"));
	plan_once(&seen, NULL, SCANRT_I32);
	tap_is_int(mode_of(user), 0600, "without a name it is the user's file");
	plan_once(&seen, NULL, SCANRT_I32);
	tap_is_int(seen.compilations, 0, "which is found again");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	plan_once(&seen, NULL, SCANRT_I32);
	tap_lacks(seen.text, "kept", "without a home nothing is kept");
}

/* ---- When the file cannot be written ---- */

static void must_write(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(name, "wb");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
		tap_bail_out("cannot write %s", name);
}

static size_t read_all(const char *name, unsigned char *bytes, size_t capacity)
{
	FILE *file = fopen(name, "rb");
	size_t size = file ? fread(bytes, 1, capacity, file) : 0;

	if (file)
		fclose(file);
	return size;
}

static void leaves_alone(const char *sentence, const void *bytes, size_t size)
{
	static unsigned char after[1 << 20];
	char name[4200];
	struct seen seen;

	snprintf(name, sizeof(name), "%s/alone.db", folder("keep"));
	must_write(name, bytes, size);
	plan_once(&seen, name, SCANRT_U16);
	tap_ok(seen.compilations > 0, "%s: the plan compiles", sentence);
	tap_contains(seen.text, "nothing is kept", "%s: and its account tells that nothing is kept", sentence);
	tap_ok(read_all(name, after, sizeof(after)) == size && memcmp(after, bytes, size) == 0,
		"%s: the file is as before", sentence);
	unlink(name);
}

static void test_refused(void)
{
	static const char text[] = "all this is no database, and it is long enough to be looked at, to the hundredth "
		"byte and beyond it";
	static unsigned char bytes[1 << 20];
	size_t size = read_all(path, bytes, sizeof(bytes));
	struct seen seen;

	leaves_alone("a text", text, sizeof(text) - 1);
	bytes[63] = 1;
	leaves_alone("an older format", bytes, size);
	bytes[63] = 99;
	leaves_alone("a newer format", bytes, size);
	plan_once(&seen, "/dev/null/tune.db", SCANRT_I32);
	tap_contains(seen.text, "nothing is kept", "a place where no file can be breaks nothing");
}

/* A tuner in the middle of its commit. */
static void test_locked(void)
{
	int down[2], up[2];
	struct seen seen;
	char byte;
	pid_t child;

	if (pipe(down) != 0 || pipe(up) != 0)
		tap_bail_out("no pipes");
	child = fork();
	if (child == 0) {
		struct srt_db *db;

		if (srt_db_open(&db, path, SRT_DB_WRITE) || srt_db_begin(db) || write(up[1], "x", 1) != 1)
			_exit(1);
		(void)!read(down[0], &byte, 1);
		_exit(0);
	}
	(void)!read(up[0], &byte, 1);
	plan_once(&seen, path, SCANRT_U8);
	tap_contains(seen.text, "nothing is kept", "while a tuner writes, nothing is kept, and nothing waits");
	tap_ok(seen.compilations > 0, "and the plan compiles");
	(void)!write(down[1], "x", 1);
	waitpid(child, NULL, 0);
	plan_once(&seen, path, SCANRT_U8);
	tap_contains(seen.text, "is kept", "afterwards it is");
}

int main(void)
{
	fake = fake_driver();
	compiler = fake_compiler();
	snprintf(path, sizeof(path), "%s/tune.db", folder("keep"));
	tap_plan(0);
	test_off();
	test_on();
	test_miscompiled();
	test_user();
	test_refused();
	test_locked();
	return tap_done();
}
