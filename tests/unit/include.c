/* SPDX-License-Identifier: MIT
 *
 * Which texts take files in, in all the spellings of the grammar, and which only look like it.
 */
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

int main(void)
{
	size_t i;

	tap_plan(0);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		tap_is_int(srt_user_include_line(texts[i].text), texts[i].line, "text %zu: %s", i,
			texts[i].line ? "the inclusion is found in its line" : "nothing is included");
	return tap_done();
}
