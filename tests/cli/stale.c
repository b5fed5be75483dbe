/* SPDX-License-Identifier: MIT
 *
 * scantune looks at choices that were made with other kernels: those of the database tests' fixture.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../db/fixture.h"
#include "../tap.h"

/* What scantune says, in a text that the next call overwrites. */
static const char *say(const char *path, const char *arguments)
{
	static char answer[8192];
	const char *build = getenv("top_builddir");
	char command[1024];
	size_t size;
	FILE *shell;

	snprintf(command, sizeof command, "'%s/scantune' %s --db '%s' 2>&1", build ? build : "..", arguments, path);
	shell = popen(command, "r");
	size = shell ? fread(answer, 1, sizeof answer - 1, shell) : 0;
	answer[size] = '\0';
	if (shell)
		pclose(shell);
	return answer;
}

static size_t times_in(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		count++;
	return count;
}

int main(void)
{
	const char *path = fixture_path("tune.db");
	const char *said;

	tap_plan(0);
	fixture_fill(path);
	said = say(path, "why i32 sum 1e4");
	tap_ok(strstr(said, "are stale: the kernels have changed") != NULL,
		"why says that choices are stale, and why: %s", said);
	tap_is_uint(times_in(said, "with kernels 01234567, now "), 4, "each of them, with both hashes");
	said = say(path, "why i32 sum 1e4 --json");
	tap_is_uint(times_in(said, "\"status\":\"stale\""), 4, "in JSON, too");
	said = say(path, "why i64 max 1e4");
	tap_ok(strstr(said, "nothing is tuned for max i64") != NULL, "of what was never tuned it says that: %s", said);
	tap_is_uint(times_in(say(path, "list"), "  stale\n"), 12, "list marks them");
	tap_is_uint(times_in(say(path, "show i32 sum"), "(stale: the kernels have changed)"), 4, "so does show");
	return tap_done();
}
