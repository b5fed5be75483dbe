/* SPDX-License-Identifier: MIT */
/* Where the files are, and whose machine code is run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "status.h"
#include "tests/tap.h"

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void user_path_is(const char *cache, const char *home, const char *wanted, const char *sentence)
{
	struct srt_strbuf path = { 0 };

	set("XDG_CACHE_HOME", cache);
	set("HOME", home);
	srt_db_user_path(&path);
	tap_is_string(srt_strbuf_text(&path), wanted, "%s", sentence);
	srt_strbuf_free(&path);
}

static void test_paths(void)
{
	struct srt_strbuf path = { 0 };

	user_path_is("/c", "/h", "/c/scanrt/tune.db", "XDG_CACHE_HOME leads to the user's file");
	user_path_is(NULL, "/h", "/h/.cache/scanrt/tune.db", "HOME leads to the user's file where there is no other");
	user_path_is("", "/h", "/h/.cache/scanrt/tune.db", "an empty XDG_CACHE_HOME counts as none");
	user_path_is("c", "/h", "/h/.cache/scanrt/tune.db", "a relative XDG_CACHE_HOME is ignored");
	user_path_is(NULL, "h", "", "a relative HOME is ignored");
	user_path_is(NULL, NULL, "", "without HOME there is no user's file, and never one in /tmp");
	srt_db_system_path(&path);
	tap_contains(srt_strbuf_text(&path), "/lib/scanrt/tune.db", "the system's file lies below localstatedir");
	srt_strbuf_clear(&path);
	srt_db_vendor_path(&path);
	tap_contains(srt_strbuf_text(&path), "/scanrt/defaults.db", "the vendor's file lies below datadir");
	srt_strbuf_free(&path);
}

static void trust_is(const char *path, bool wanted, const char *part, const char *sentence)
{
	struct srt_strbuf reason = { 0 };
	struct srt_db *db;

	fixture_must(srt_db_open(&db, path, SRT_DB_READ), "open");
	tap_is_int(srt_db_is_trusted(db, &reason), wanted, "%s", sentence);
	tap_contains(srt_strbuf_text(&reason), part, "%s: the reason says so", sentence);
	tap_is_int(srt_db_is_trusted(db, NULL), wanted, "%s, asked without a reason", sentence);
	srt_db_close(db);
	srt_strbuf_free(&reason);
}

static void test_modes(const char *path, const char *directory)
{
	trust_is(path, true, "", "a file of one's own is trusted");
	chmod(path, 0620);
	trust_is(path, false, "writable by group or others", "a file that the group may write is not trusted");
	chmod(path, 0602);
	trust_is(path, false, "writable by group or others", "a file that all may write is not trusted");
	chmod(path, 0644);
	trust_is(path, true, "", "a file that all may read is trusted");
	chmod(directory, 0770);
	trust_is(path, false, "writable by group or others",
		"a file in a directory that the group may write is not trusted");
	chmod(directory, 01777);
	if (geteuid() == 0)
		trust_is(path, true, "", "a file in a sticky directory of root is trusted");
	else
		trust_is(path, false, "writable", "a file in a sticky directory of one's own is not trusted");
	chmod(directory, 0700);
}

static void test_owners(const char *path, const char *directory)
{
	if (geteuid() != 0) {
		tap_skip(6, "only root can give files away");
		return;
	}
	if (chown(path, 12345, 0) != 0)
		tap_bail_out("cannot give a file away");
	trust_is(path, false, "owned by another user", "a file of another user is not trusted");
	if (chown(path, 0, 0) != 0 || chown(directory, 12345, 0) != 0)
		tap_bail_out("cannot give a directory away");
	trust_is(path, false, "owned by another user", "a file in another user's directory is not trusted");
	if (chown(directory, 0, 0) != 0)
		tap_bail_out("cannot take a directory back");
}

static void test_links(const char *path, const char *directory)
{
	const char *link = fixture_path("open/link.db");

	mkdir(fixture_path("open"), 0700);
	if (symlink(path, link) != 0)
		tap_bail_out("cannot make a symbolic link");
	trust_is(link, true, "", "a symbolic link in a directory of one's own is trusted");
	chmod(fixture_path("open"), 0777);
	trust_is(link, false, "/open is writable", "a symbolic link that others may change is not trusted");
	chmod(fixture_path("open"), 0700);
	chmod(directory, 0777);
	trust_is(link, false, "/inner is writable", "nor one into a directory that others may write");
	chmod(directory, 0700);
}

static void test_relative_and_replaced(const char *path, const char *directory)
{
	struct srt_strbuf reason = { 0 };
	struct srt_db *db;

	if (chdir(directory) != 0)
		tap_bail_out("cannot enter %s", directory);
	trust_is("tune.db", true, "", "a relative path is judged with the directories above it");
	fixture_must(srt_db_open(&db, path, SRT_DB_READ), "open");
	rename(path, fixture_path("inner/old.db"));
	fixture_write(path, "another", 7);
	tap_ok(!srt_db_is_trusted(db, &reason), "a file that was replaced after it was opened is not trusted");
	tap_contains(srt_strbuf_text(&reason), "replaced", "and the reason says so");
	srt_db_close(db);
	srt_strbuf_free(&reason);
}

int main(void)
{
	const char *directory = fixture_path("inner");
	const char *path = fixture_path("inner/tune.db");

	tap_plan(0);
	fixture_fill(path);
	test_modes(path, directory);
	test_owners(path, directory);
	test_links(path, directory);
	test_relative_and_replaced(path, directory);
	test_paths();
	return tap_done();
}
