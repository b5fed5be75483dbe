/* SPDX-License-Identifier: MIT
 *
 * The TAP writer itself: each check passes where it should; that a failing check fails is seen by running this
 * program once more, as a child whose checks all fail.
 */
#include "tests/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail_every_check(void)
{
	tap_plan(0);
	tap_case("seed %d", 7);
	tap_ok(false, "a false claim");
	tap_is_int(1, 2, "one is two");
	tap_is_uint(1, 2, "one is two");
	tap_is_double(0.0, -0.0, "zeros of both signs are one");
	tap_is_near(1.0, 2.0, 0.5, "one is near two");
	tap_is_near(NAN, 2.0, 0.5, "NaN is near two");
	tap_is_string("a", NULL, "a text is NULL");
	tap_is_bytes("ab", "ac", 2, "two bytes are equal");
	tap_contains("abc", "d", "abc contains d");
	tap_lacks("abc", "b", "abc lacks b");
	return tap_done();
}

/* Runs this program with an argument; its output, and its exit status or -1. */
static int run_child(char *output, size_t size, const char *program, const char *argument)
{
	char command[4096];
	FILE *child;
	size_t length;

	snprintf(command, sizeof command, "'%s' %s", program, argument);
	child = popen(command, "r");
	if (child == NULL)
		return -1;
	length = fread(output, 1, size - 1, child);
	output[length] = '\0';
	return pclose(child);
}

static int count_of(const char *text, const char *part)
{
	int count = 0;

	for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part))
		count++;
	return count;
}

static int break_the_plan(void)
{
	tap_plan(2);
	tap_ok(true, "only one of two checks runs");
	return tap_done();
}

static int expect_failure(void)
{
	tap_plan(1);
	tap_todo("not built");
	tap_ok(false, "what is not built fails");
	return tap_done();
}

static int run_as_child(const char *what)
{
	if (strcmp(what, "fail") == 0)
		return fail_every_check();
	if (strcmp(what, "plan") == 0)
		return break_the_plan();
	return expect_failure();
}

static void check_passes(void)
{
	tap_ok(true, "a true claim passes");
	tap_is_int(-3, -3, "equal signed numbers pass");
	tap_is_uint(UINT64_MAX, UINT64_MAX, "equal unsigned numbers pass");
	tap_is_double(NAN, NAN, "NaN passes for NaN");
	tap_is_near(1.0, 1.25, 0.25, "a number within the tolerance passes");
	tap_is_string(NULL, NULL, "NULL passes for NULL");
	tap_is_bytes("ab", "ab", 2, "equal bytes pass");
	tap_contains("abc", "bc", "a part is found");
	tap_lacks("abc", "d", "a missing part is missed");
}

int main(int argc, char **argv)
{
	static char output[65536];

	if (argc > 1)
		return run_as_child(argv[1]);
	tap_plan(16);
	check_passes();
	tap_ok(run_child(output, sizeof output, argv[0], "fail") != 0, "a program with failed checks fails");
	tap_is_int(count_of(output, "not ok "), 10, "every check can fail");
	tap_is_int(count_of(output, "# case: seed 7\n"), 10, "a failure prints its case");
	tap_contains(output, "# wanted: 0x63 at byte 1 of 2\n", "a failure names the first byte that differs");
	tap_ok(run_child(output, sizeof output, argv[0], "plan") != 0, "a program that breaks its plan fails");
	tap_is_int(run_child(output, sizeof output, argv[0], "todo"), 0, "an expected failure does no harm");
	tap_contains(output, "not ok 1 - what is not built fails # TODO not built\n", "an expected failure is marked");
	return tap_done();
}
