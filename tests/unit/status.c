/* SPDX-License-Identifier: MIT */
#include "status.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

static const int statuses[] = {
	SCANRT_OK, SCANRT_ERROR_NULL_POINTER, SCANRT_ERROR_MISALIGNED, SCANRT_ERROR_OVERLAP, SCANRT_ERROR_COUNT,
	SCANRT_ERROR_TYPE, SCANRT_ERROR_OPERATOR, SCANRT_ERROR_MODE, SCANRT_ERROR_STRUCT_SIZE, SCANRT_ERROR_VARIANT,
	SCANRT_ERROR_CONTEXT, SCANRT_ERROR_FLAGS, SCANRT_ERROR_ENVIRONMENT, SCANRT_ERROR_OUT_OF_MEMORY,
	SCANRT_ERROR_DEVICE_MEMORY,
	SCANRT_ERROR_NO_DRIVER, SCANRT_ERROR_DRIVER_TOO_OLD, SCANRT_ERROR_DRIVER_STUB, SCANRT_ERROR_DRIVER,
	SCANRT_ERROR_NO_DEVICE, SCANRT_ERROR_DEVICE_UNSUPPORTED, SCANRT_ERROR_DEVICE_LOST, SCANRT_ERROR_NO_COMPILER,
	SCANRT_ERROR_COMPILER_TOO_OLD, SCANRT_ERROR_COMPILER, SCANRT_ERROR_COMPILE, SCANRT_ERROR_LINK,
	SCANRT_ERROR_IMAGE, SCANRT_ERROR_LAUNCH, SCANRT_ERROR_CAPTURE, SCANRT_ERROR_WORKSPACE,
	SCANRT_ERROR_UNSUPPORTED, SCANRT_ERROR_DATABASE, SCANRT_ERROR_DATABASE_FORMAT, SCANRT_ERROR_DATABASE_CORRUPT,
	SCANRT_ERROR_DATABASE_BUSY,
};
#define STATUS_COUNT ((int)(sizeof(statuses) / sizeof(statuses[0])))

static void test_texts(void)
{
	const char *unknown = scanrt_strerror(-1);
	bool are_distinct = true;
	int i;
	int j;

	tap_ok(unknown && unknown[0], "a number that is no status has a text too");
	tap_is_string(scanrt_strerror(99999), unknown, "all numbers that are no status share it");
	for (i = 0; i < STATUS_COUNT; i++) {
		tap_ok(strcmp(scanrt_strerror(statuses[i]), unknown) != 0, "status %d has a text of its own",
			statuses[i]);
		for (j = 0; j < i; j++)
			if (strcmp(scanrt_strerror(statuses[i]), scanrt_strerror(statuses[j])) == 0)
				are_distinct = false;
	}
	tap_ok(are_distinct, "no two statuses share a text");
}

static void test_records(void)
{
	struct scanrt_error details = { sizeof(details), 0, 0, 0, 0, "" };
	struct srt_error saved;

	srt_error_clear();
	tap_is_string(scanrt_last_error(), "", "without a failure there is no sentence");
	tap_is_int(srt_fail(SCANRT_ERROR_COUNT, "%d is too many", 7), SCANRT_ERROR_COUNT, "failing returns the status");
	tap_is_string(scanrt_last_error(), "7 is too many", "the sentence is formatted");
	srt_fail(SCANRT_ERROR_COMPILE, "%s\n\tand %s", scanrt_last_error(), "more");
	tap_is_string(scanrt_last_error(), "7 is too many  and more",
		"the last sentence may be part of the next one, and line breaks are folded");
	srt_fail(SCANRT_ERROR_DATABASE, "near \"%s\"", "\x1b[31m\x7f\xc3\xa4");
	tap_is_string(scanrt_last_error(), "near \"?[31m?\xc3\xa4\"", "characters that command a terminal are none");

	srt_fail_driver(SCANRT_ERROR_DRIVER, 700, "driver");
	tap_is_int(scanrt_last_error_details(&details), SCANRT_OK, "details are given");
	tap_is_int(details.status, SCANRT_ERROR_DRIVER, "details have the status");
	tap_is_int(details.cuda_result, 700, "details have the driver's result");
	srt_fail_compiler(SCANRT_ERROR_COMPILER, 5, "compiler");
	scanrt_last_error_details(&details);
	tap_is_int(details.nvrtc_result, 5, "details have the compiler's result");
	tap_is_int(details.cuda_result, 0, "a new failure forgets the codes of the one before");
	srt_fail_database(SCANRT_ERROR_DATABASE, 14, "database");
	scanrt_last_error_details(&details);
	tap_is_int(details.sqlite_code, 14, "details have the database's code");
	tap_is_string(details.text, "database", "details have the sentence");

	srt_error_save(&saved);
	srt_fail(SCANRT_ERROR_TYPE, "a fallback failed");
	srt_error_restore(&saved);
	tap_is_string(scanrt_last_error(), "database", "a saved record comes back whole");
	tap_is_int(srt_error_last()->sqlite_code, 14, "a saved record comes back with its codes");
}

static void test_wrong_use(void)
{
	struct scanrt_error details = { sizeof(details) - 1, 0, 0, 0, 0, "untouched" };

	srt_fail(SCANRT_ERROR_TYPE, "the failure");
	tap_is_int(scanrt_last_error_details(NULL), SCANRT_ERROR_NULL_POINTER, "details want a structure");
	tap_is_int(scanrt_last_error_details(&details), SCANRT_ERROR_STRUCT_SIZE,
		"details want a structure that is large enough");
	tap_is_string(details.text, "untouched", "a structure of the wrong size is not written to");
	tap_contains(scanrt_last_error(), "struct scanrt_error has size",
		"the sentence is about what was returned last");
	tap_is_int(srt_error_last()->status, SCANRT_ERROR_STRUCT_SIZE, "and so is the status that it stands beside");
	scanrt_last_error_details(NULL);
	tap_contains(scanrt_last_error(), "details is null", "no structure at all has a sentence of its own, too");
}

static void test_long_texts(void)
{
	char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	srt_fail(SCANRT_ERROR_COMPILE, "%s", text);
	tap_is_uint(strlen(scanrt_last_error()), sizeof(srt_error_last()->text) - 1,
		"a sentence that is too long is cut where the record ends");
}

static void *fail_elsewhere(void *user)
{
	srt_fail(SCANRT_ERROR_DEVICE_LOST, "another thread's");
	snprintf(user, 64, "%s", scanrt_last_error());
	return NULL;
}

static void test_threads(void)
{
	char seen[64] = "";
	pthread_t thread;

	srt_fail(SCANRT_ERROR_TYPE, "this thread's");
	if (pthread_create(&thread, NULL, fail_elsewhere, seen) != 0)
		tap_bail_out("no thread could be started");
	pthread_join(thread, NULL);
	tap_is_string(seen, "another thread's", "a thread sees its own failure");
	tap_is_string(scanrt_last_error(), "this thread's", "a thread does not see another's failure");
}

int main(void)
{
	tap_plan(0);
	test_texts();
	test_records();
	test_wrong_use();
	test_long_texts();
	test_threads();
	tap_is_int(scanrt_version(), 100, "version 0.1.0 is the number 100");
	return tap_done();
}
