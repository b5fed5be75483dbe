/* SPDX-License-Identifier: MIT
 *
 * Which texts take files in, in all the spellings of the grammar, and which only look like it.
 */
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "user_include.h"

static const struct {
	const char *text;
	int line;
} texts[] = {
	{ "", 0 },
	{ "#include \"/etc/passwd\"", 1 },
	{ "int x;\n\t#  include <cmath>\n", 2 },
	{ "/* why */ # /* not */ include <cmath>", 1 },
	{ "%:include <cmath>", 1 },
	{ "int x;\n#inc\\\nlude <cmath>\n", 2 },
	{ "int x; \\\r\n\n#include_next <cmath>", 3 },
	{ "#import \"a\"", 1 },
	{ "#embed \"a\"", 1 },
	{ "// \\\ncomment\n#include MACRO", 3 },
	{ "#if defined(X) && __has_include(\"/etc/passwd\")", 1 },
	{ "constexpr auto n = 1'000'000;\n#include \"a\"", 2 },
	{ "#error it's missing\n#include \"a\"", 2 },
	{ "auto s = \"\\\"\";\n#include \"a\"", 2 },
	{ "auto s = R\"x(\")x\";\n#include \"a\"", 2 },
	{ "const char *a[] = { R\"(x)\", \"/*\" };\n#include \"a\"", 2 },
	{ "auto s = R\"(x\\\n)\";\n#include \"a\"", 3 },
	{ "#define X 1'/*'\n#include \"a\"\n//*/", 2 },
	{ "#define X .1'/*'\n#include \"a\"\n//*/", 2 },
	{ "#define X 1'000'/*'\n#include \"a\"\n//*/", 2 },
	{ "#define X 1'/*\n#include \"a\"\n//*/", 2 },
	{ "#define X 1e+R\"(\"\n#include \"a\"\n//)\"", 2 },
	{ "#define X 0x1P-R\"(\"\n#include \"a\"\n//)\"", 2 },
	{ "#define X 1+R\"(\"\n#include \"a\"\n//)\"", 0 },
	{ "#define X \"s\"R\"(\"\n#include \"a\"\n//)\"", 2 },
	{ "#define X 's'R\"(\"\n#include \"a\"\n//)\"", 2 },
	{ "#define X R\"(s)\"R\"(\"\n#include \"a\"\n//)\"", 2 },
	{ "#define X \"s\" R\"(\"\n#include \"a\"\n//)\"", 0 },
	{ "/*/ R\"( */\n#include \"a\"", 2 },
	{ "/*/\n#include \"a\"\n*/", 0 },
	{ "R\"(never closed\n#include \"a\"", 0 },
	{ "/* never closed\n#include \"a\"", 0 },
	{ "/*\n#include <cmath>\n*/ int x;", 0 },
	{ "// like\n//#include <cmath>", 0 },
	{ "// like \\\n#include <cmath>", 0 },
	{ "auto s = \"\\\n#include <cmath>\";", 0 },
	{ "auto s = u8R\"(\n#include <cmath>\n)\";", 0 },
	{ "#define include embed\n#pragma unroll\n#line 7 \"include\"\n", 0 },
	{ "x # include y", 0 },
	{ "int include = 1, include_next_of_a_very_long_name = 2; x %= include;", 0 },
	{ "#includes", 0 },
	{ "'", 0 },
	{ "\\", 0 },
	{ "#", 0 },
};

/* "NAME LINE " for each macro. */
static void collect(void *user, const char *name, int line)
{
	char *seen = user;
	size_t length = strlen(seen);

	snprintf(seen + length, 400 - length, "%.60s %d ", name, line);
}

static void test_macros(void)
{
	static const struct {
		const char *text;
		const char *macros;
	} rows[] = {
		{ "", "" },
		{ "#define A\n#define B(x) #x\n int define; C", "A 1 B 2 " },
		{ " /* */ # /* */ define /* */ under_score 1", "under_score 1 " },
		{ "%:define A 1\n#def\\\nine LO\\\nNG 2", "A 1 LONG 3 " },
		{ "// #define A\n/*\n#define B\n*/ auto s = R\"(\n#define C\n)\";\n#define D", "D 7 " },
		{ "#undef A\n#ifdef B\n#  define C\n#endif\n#define", "A 1 C 3 " },
		{ "#define A 1'/*'\n#define B R\"(x)\"R\"(\"\n#undef C//)\"", "A 1 B 2 C 3 " },
		{ "x #define A\n# pragma define B\n#define 3\n", "" },
		{ "#\ndefine A\n#define\nB", "" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char seen[400] = "";

		srt_user_each_macro(rows[i].text, collect, seen);
		tap_is_string(seen, rows[i].macros, "text %zu: its macros are found, each in its line", i);
	}
}

int main(void)
{
	size_t i;

	tap_plan(0);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		tap_is_int(srt_user_include_line(texts[i].text), texts[i].line, "text %zu: %s", i,
			texts[i].line ? "the inclusion is found in its line" : "nothing is included");
	test_macros();
	return tap_done();
}
