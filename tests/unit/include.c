/* SPDX-License-Identifier: MIT
 *
 * Which texts take files in, in all the spellings of the grammar, and which only look like it.
 */
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "user_include.h"
#include "user_undefined.h"

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

/* Functions that are left to a linker, in the words of the compilers and in PTX. */
static void test_undefined(void)
{
	static const char text[] = "#line 1 \"type pair\"\n"
		"struct pair { int a; /* helper */ };\n"
		"#line 1 \"operator add\"\n"
		"// helper is to come\n"
		"int helper(int a, int b);\n"
		"namespace geom { struct point { static int turn(int); }; }\n"
		"extern \"C\" int plain(int);\n"
		"int apply(int e, int l) { const char *s = \"far\"; return helper(e, l); }\n"
		"#line 1 \"the end of the problem's text\"\n";
	static const struct {
		const char *output;
		const char *name; /* NULL: nothing is undefined */
		int line;
	} rows[] = {
		{ "scan.cu does not compile: ptxas fatal   : Unresolved extern function '_Z6helperii'", "helper", 2 },
		{ "Unresolved extern function '_ZN4geom5point4turnEi'", "turn", 3 },
		{ "error   : Undefined reference to 'plain' in 'scan.cu'", "plain", 4 },
		{ ".extern .func  (.param .b32 func_retval0) _Z6helperii\n(\n\t.param .b32 _Z6helperii_param_0\n",
			"helper", 2 },
		{ ".extern .func _ZL5plaini\n(", "plain", 4 },
		{ ".extern .func  (.param .b32 func_retval0) vprintf\n(\n.extern .func _Z6helperii (", "helper", 2 },
		{ ".extern .func  (.param .b32 func_retval0) vprintf\n(", NULL, 0 },
		{ ".extern .func _Z3farii\n(", NULL, 0 },
		{ "Unresolved extern function '_Z99short'", NULL, 0 },
		{ "Unresolved extern function ", NULL, 0 },
		{ "operator add(2): error: identifier \"helper\" is undefined", NULL, 0 },
		{ "", NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct srt_user_undefined found;
		bool is_found = srt_user_find_undefined(&found, rows[i].output, text);

		tap_case("%s", rows[i].output);
		tap_is_int(is_found, rows[i].name != NULL, "output %zu: a function of the text's is looked for", i);
		if (!is_found || !rows[i].name)
			continue;
		tap_is_string(found.name, rows[i].name, "output %zu: its name is told as the text has it", i);
		tap_is_string(found.part, "operator add", "output %zu: and where it is", i);
		tap_is_int(found.line, rows[i].line, "output %zu: in its line", i);
	}
	tap_case("%s", "");
}

int main(void)
{
	size_t i;

	tap_plan(0);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		tap_is_int(srt_user_include_line(texts[i].text), texts[i].line, "text %zu: %s", i,
			texts[i].line ? "the inclusion is found in its line" : "nothing is included");
	test_macros();
	test_undefined();
	return tap_done();
}
