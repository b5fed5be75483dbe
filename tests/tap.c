/* SPDX-License-Identifier: MIT
 *
 * The Test Anything Protocol for C programs.
 */
#include "tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int planned;
static int ran;
static int failed;
static const char *todo;
static char subject[512];

/* A crash must not swallow the lines before it, and the driver reads line by line. */
static void begin(void)
{
	static bool has_begun;

	if (has_begun)
		return;
	has_begun = true;
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

/* One remark may have several lines, of which each needs its own "#". */
static void print_remark(const char *text)
{
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");

		printf("# %.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static void remark(const char *format, ...) TAP_PRINTF(1, 2);
static void remark(const char *format, ...)
{
	char text[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	print_remark(text);
}

/* "#" would begin a directive, and a line break would end the line. */
static void print_name(const char *name)
{
	for (; *name != '\0'; name++) {
		if (*name == '#')
			putchar('\\');
		putchar(*name == '\n' ? ' ' : *name);
	}
}

static bool report(const char *file, int line, bool passed, const char *name, va_list arguments)
{
	char text[1024];

	begin();
	vsnprintf(text, sizeof text, name, arguments);
	ran++;
	printf("%s %d - ", passed ? "ok" : "not ok", ran);
	print_name(text);
	if (todo != NULL)
		printf(" # TODO %s", todo);
	putchar('\n');
	if (passed)
		return true;
	if (todo == NULL)
		failed++;
	remark("at %s:%d", file, line);
	if (subject[0] != '\0')
		remark("case: %s", subject);
	return false;
}

void tap_plan(int tests)
{
	begin();
	planned = tests;
	if (tests > 0)
		printf("1..%d\n", tests);
}

int tap_done(void)
{
	begin();
	if (planned == 0)
		printf("1..%d\n", ran);
	else if (planned != ran)
		remark("planned %d tests, ran %d", planned, ran);
	if (failed > 0)
		remark("%d of %d tests failed", failed, ran);
	return failed == 0 && ran > 0 && (planned == 0 || planned == ran) ? EXIT_SUCCESS : EXIT_FAILURE;
}

void tap_case(const char *format, ...)
{
	va_list arguments;

	*subject = '\0';
	if (!format)
		return;
	va_start(arguments, format);
	vsnprintf(subject, sizeof subject, format, arguments);
	va_end(arguments);
}

/* What each comparison does around its own two remarks.  A macro, as only the function that was called can reach the
 * arguments of the name. */
#define REPORT(passed, wanted, seen) \
	do { \
		bool has_passed = (passed); \
		va_list arguments; \
\
		va_start(arguments, name); \
		if (!report(file, line, has_passed, name, arguments)) { \
			wanted; \
			seen; \
		} \
		va_end(arguments); \
		return has_passed; \
	} while (0)

bool tap_ok_at(const char *file, int line, bool claim, const char *name, ...)
{
	REPORT(claim, (void)0, (void)0);
}

bool tap_is_int_at(const char *file, int line, int64_t seen, int64_t wanted, const char *name, ...)
{
	REPORT(seen == wanted, remark("wanted: %" PRId64, wanted), remark("seen:   %" PRId64, seen));
}

bool tap_is_uint_at(const char *file, int line, uint64_t seen, uint64_t wanted, const char *name, ...)
{
	REPORT(seen == wanted, remark("wanted: %" PRIu64 " (0x%" PRIx64 ")", wanted, wanted),
		remark("seen:   %" PRIu64 " (0x%" PRIx64 ")", seen, seen));
}

bool tap_is_double_at(const char *file, int line, double seen, double wanted, const char *name, ...)
{
	REPORT(memcmp(&seen, &wanted, sizeof seen) == 0 || (isnan(seen) && isnan(wanted)),
		remark("wanted: %.17g (%a)", wanted, wanted), remark("seen:   %.17g (%a)", seen, seen));
}

bool tap_is_near_at(const char *file, int line, double seen, double wanted, double tolerance, const char *name, ...)
{
	REPORT(fabs(seen - wanted) <= tolerance, remark("wanted: %.17g, give or take %g", wanted, tolerance),
		remark("seen:   %.17g, off by %g", seen, fabs(seen - wanted)));
}

static const char *quote(const char *text)
{
	return text == NULL ? "(NULL)" : text;
}

bool tap_is_string_at(const char *file, int line, const char *seen, const char *wanted, const char *name, ...)
{
	REPORT(seen == wanted || (seen != NULL && wanted != NULL && strcmp(seen, wanted) == 0),
		remark("wanted: %s", quote(wanted)), remark("seen:   %s", quote(seen)));
}

bool tap_is_bytes_at(const char *file, int line, const void *seen, const void *wanted, size_t size, const char *name,
	...)
{
	const unsigned char *left = seen;
	const unsigned char *right = wanted;
	size_t at = 0;

	while (at < size && left[at] == right[at])
		at++;
	REPORT(at == size, remark("wanted: 0x%02x at byte %zu of %zu", right[at], at, size),
		remark("seen:   0x%02x", left[at]));
}

bool tap_contains_at(const char *file, int line, const char *text, const char *part, const char *name, ...)
{
	REPORT(text != NULL && strstr(text, part) != NULL, remark("wanted: a text that contains: %s", part),
		remark("seen:   %s", quote(text)));
}

bool tap_lacks_at(const char *file, int line, const char *text, const char *part, const char *name, ...)
{
	REPORT(text != NULL && strstr(text, part) == NULL, remark("wanted: a text without: %s", part),
		remark("seen:   %s", quote(text)));
}

/* Formats into the caller's `text`, behind what begins the output. */
#define FORMAT(text, format) \
	do { \
		va_list arguments; \
\
		begin(); \
		va_start(arguments, format); \
		vsnprintf(text, sizeof text, format, arguments); \
		va_end(arguments); \
	} while (0)

void tap_skip(int tests, const char *reason, ...)
{
	char text[512];

	FORMAT(text, reason);
	while (tests-- > 0) {
		ran++;
		printf("ok %d # SKIP ", ran);
		print_name(text);
		putchar('\n');
	}
}

void tap_skip_all(const char *reason, ...)
{
	char text[512];

	FORMAT(text, reason);
	printf("1..0 # SKIP ");
	print_name(text);
	putchar('\n');
	exit(EXIT_SUCCESS);
}

void tap_todo(const char *reason)
{
	todo = reason;
}

void tap_diag(const char *format, ...)
{
	char text[4096];

	FORMAT(text, format);
	print_remark(text);
}

void tap_bail_out(const char *reason, ...)
{
	char text[512];

	FORMAT(text, reason);
	printf("Bail out! ");
	print_name(text);
	putchar('\n');
	exit(EXIT_FAILURE);
}
