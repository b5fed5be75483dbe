/* SPDX-License-Identifier: MIT
 *
 * Text of the caller's that is no good: each case is an error of its own, in the caller's words and lines, before any
 * kernel is compiled; and text that is good in all the forms that scanrt.h allows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "status.h"
#include "tests/tap.h"

#define PAIR "struct pair { int a, b; };\n"
#define ADD "pair apply(const pair &e, const pair &l)\n{\n\treturn pair{e.a + l.a, e.b + l.b};\n}\n"

/* What is NULL is the good text above, or, of conversions, nothing. */
struct text {
	const char *type;
	const char *op;
	const char *load;
	const char *store;
	size_t bytes;
	uint32_t flags;
	bool is_opaque;
};

static int make(struct srt_problem *problem, const struct text *text)
{
	struct scanrt_problem given = SCANRT_PROBLEM_INIT;
	struct scanrt_user_type type = SCANRT_USER_TYPE_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;

	type.name = text->is_opaque ? NULL : "pair";
	type.text = text->is_opaque ? NULL : text->type ? text->type : PAIR;
	type.bytes = text->bytes ? text->bytes : 8;
	type.alignment = 4;
	op.name = "add";
	op.text = text->op ? text->op : ADD;
	op.flags = text->flags;
	given.op = SCANRT_OPERATOR_USER;
	given.user_operator = &op;
	given.input_type = given.output_type = given.accumulator_type = SCANRT_TYPE_USER;
	given.user_input = given.user_output = given.user_accumulator = &type;
	if (text->load) {
		given.input_type = SCANRT_I32;
		given.user_input = NULL;
	}
	if (text->store) {
		given.output_type = SCANRT_I32;
		given.user_output = NULL;
	}
	given.load_text = text->load;
	given.store_text = text->store;
	return srt_problem_init(problem, &given);
}

static int compile(const struct srt_rtc *rtc, const struct text *text, struct srt_strbuf *log)
{
	struct srt_problem problem = { 0 };
	struct srt_variant variant;
	void *bytes = NULL;
	size_t size;
	int status = make(&problem, text);

	srt_strbuf_clear(log);
	srt_variant_parse(&variant, "block,block=64,items=2");
	if (!status)
		status = srt_image_compile(&bytes, &size, rtc, &problem, &variant, "compute_90", log);
	tap_ok((bytes != NULL) == (status == SCANRT_OK), "there is code if and only if the text is good");
	free(bytes);
	srt_problem_free(&problem);
	return status;
}

static void refuses(const struct srt_rtc *rtc, const struct text *text, const char *words, const char *what)
{
	struct srt_strbuf log = { 0 };

	tap_is_int(compile(rtc, text, &log), SCANRT_ERROR_TEXT, "B135: %s is refused", what);
	tap_contains(srt_error_last()->text, words, "%s: the sentence says so", what);
	srt_strbuf_free(&log);
}

#define WITH(...) (&(const struct text){ __VA_ARGS__ })

static void test_bad(const struct srt_rtc *rtc)
{
	refuses(rtc, WITH(.op = "int unrelated;\n"), "no apply", "an operator without apply");
	refuses(rtc, WITH(.op = "pair apply(pair e, pair l)\n{\n\treturn e.c;\n}\n"), "operator add(3): error",
		"an operator that does not compile");
	refuses(rtc, WITH(.type = "struct pair { int a, b }\n"), "type pair(1): error", "a type that does not compile");
	refuses(rtc, WITH(.bytes = 12),
		"type pair does not have the stated number of bytes: 12 were stated, and the compiler finds 8",
		"a type of another size");
	refuses(rtc, WITH(.type = "struct pair { int a, b; pair(const pair &); pair() = default; };\n",
			.op = "void apply(pair &r, const pair &e, const pair &l) { r.a = e.a + l.a; }\n"),
		"type pair is not trivially copyable", "a type that is not trivially copyable");
	refuses(rtc, WITH(.type = "struct pair { int a = 1, b = 2; };\n"), "type pair has a constructor",
		"a type with initialisers");
	refuses(rtc, WITH(.op = "#include <cmath>\n" ADD), "operator add(1): error: no file can be included",
		"a header");
	refuses(rtc, WITH(.type = PAIR "#include \"/etc/passwd\"\n"), "type pair(2): error: no file can be included",
		"a file of the system");
	refuses(rtc, WITH(.type = "struct scan { int a; };\n" PAIR), "type pair(1): error",
		"a name that is the library's");
	refuses(rtc, WITH(.op = "int apply(int a, int b) { return a + b; }\n"), "no apply(earlier, later)",
		"an apply of another type");
	refuses(rtc, WITH(.op = ADD "{\n"), "error", "a brace that is left open");
	refuses(rtc, WITH(.flags = SCANRT_HAS_STATE), "no apply(earlier, later, state)",
		"an apply that takes no state");
	refuses(rtc, WITH(.op = "int apply(const pair &e, const pair &)\n{\n\treturn e.a;\n}\n"),
		"apply(earlier, later) of the operator's text does not return an accumulator",
		"an apply that returns something else");
	refuses(rtc, WITH(.op = ADD "pair apply(pair e, pair) { return e; }\n"), "or has several",
		"two functions apply that would do");
	refuses(rtc, WITH(.op = ADD "#if 1\n"), "operator add(5): error", "an #if that is left open");
	refuses(rtc, WITH(.op = "/* #define SCAN_A */\n  #  define SCAN_BLOCK 7\n" ADD),
		"operator add(2): error: macro SCAN_BLOCK", "a macro that is the library's");
	refuses(rtc, WITH(.op = "#undef SCAN_PHASES\n" ADD), "operator add(1): error: macro SCAN_PHASES",
		"a macro of the library's that is taken away");
	refuses(rtc, WITH(.op = "#define X 1'/*'\n#include \"/etc/passwd\"\n//*/\n" ADD),
		"operator add(2): error: no file can be included", "a file behind what looks like a comment");
	refuses(rtc, WITH(.load = "pair make(int x) { return pair{x, x}; }\n"), "no load(x)",
		"a load_text without load");
	refuses(rtc, WITH(.store = "int stored(pair x) { return x.a; }\n"), "no store(x)",
		"a store_text without store");
}

static void accepts(const struct srt_rtc *rtc, const struct text *text, const char *what)
{
	struct srt_strbuf log = { 0 };

	tap_is_int(compile(rtc, text, &log), SCANRT_OK, "%s compiles", what);
	tap_is_string(srt_strbuf_text(&log), "", "%s: without a word of the compiler", what);
	srt_strbuf_free(&log);
}

static void test_good(const struct srt_rtc *rtc)
{
	accepts(rtc, WITH(.op = ADD), "operands by reference");
	accepts(rtc, WITH(.op = "pair apply(pair e, pair l) { return pair{e.a + l.a, e.b}; } // no line end"),
		"operands by value, a comment at the end");
	accepts(rtc, WITH(.op = "void apply(pair &r, const pair &e, const pair &l) { r = pair{e.a + l.a, l.b}; }\n"),
		"a result by reference");
	accepts(rtc, WITH(.flags = SCANRT_HAS_STATE,
		.op = "pair apply(pair e, pair l, const int *factor) { return pair{e.a + l.a * *factor, l.b}; }\n"),
		"an operator with a state");
	accepts(rtc, WITH(.load = "pair load(int x) { return pair{x, x}; }\n",
		.store = "int store(const pair &x) { return x.a; }\n"), "both conversions");
	accepts(rtc, WITH(.load = "pair load(int x, unsigned long long index) { return pair{x, int(index)}; }\n"),
		"a conversion that takes the index");
	accepts(rtc, WITH(.type = "#define warp_size 16\n#define item(x) x\n#define T short\n#define MEMBERS int a, b\n"
			"struct pair { MEMBERS; };\n", .op = "/* */ # define result(x, y) return pair{x, y}\n"
			"pair apply(pair e, pair l) { result(e.a + l.a, l.b); }\n"),
		"macros, some with names of the library's");
	accepts(rtc, WITH(.is_opaque = true, .op = "using pair = scan::opaque<8, 4>;\n"
		"pair apply(pair e, pair l) { e.byte[0] += l.byte[0]; return e; }\n"), "opaque bytes");
}

/* Asks kernels/user.cuh, from within the operator, whether it takes the type for one without padding. */
static void is_taken_for(const struct srt_rtc *rtc, bool is_solid, const char *type, size_t bytes, const char *what)
{
	struct srt_strbuf log = { 0 };
	char op[512];

	snprintf(op, sizeof(op), "namespace scan { template <class T> constexpr bool is_solid(); }\n"
		"template <class T> T apply(const T &, const T &l)\n{\n"
		"\tstatic_assert(scan::is_solid<T>() == %s, \"the other\");\n\treturn l;\n}\n",
		is_solid ? "true" : "false");
	tap_is_int(compile(rtc, WITH(.type = type, .bytes = bytes, .op = op), &log), SCANRT_OK,
		"%s is taken for one %s padding", what, is_solid ? "without" : "that may have");
	srt_strbuf_free(&log);
}

/* Padding that is taken for a member is moved by whoever moves words, and nobody has written it. */
static void test_padding(const struct srt_rtc *rtc)
{
	is_taken_for(rtc, true, "struct pair { float a; int b; };\n", 8, "a struct of a float and an int");
	is_taken_for(rtc, true, "struct pair { float a[2]; struct { unsigned b; float c[2]; } d; };\n", 20,
		"a struct with an array and a struct");
	is_taken_for(rtc, false, "struct pair { float a; short b; };\n", 8, "a struct with a short at its end");
	is_taken_for(rtc, false, "struct pair { float a; unsigned b : 20, c : 8; };\n", 8,
		"a struct with bit-fields in one word");
	is_taken_for(rtc, false, "struct pair { float a; unsigned b : 8; };\n", 8, "a struct with one bit-field");
	is_taken_for(rtc, false, "struct pair { pair() = default; pair(float, float); float a; short b; };\n", 8,
		"a struct with a constructor of as many floats as would fill it");
}

/* What kernels are held to, and what operators are tried with, on the oldest and the newest device. */
static void test_tools(const struct srt_rtc *rtc)
{
	static const char *const files[] = { "reference.cu", "user_try.cu" };
	static const int capabilities[] = { 75, 120 };
	const struct text text = { .load = "pair load(int x, unsigned long long i) { return pair{x, int(i)}; }\n",
		.store = "int store(const pair &x) { return x.a; }\n" };
	struct srt_problem problem = { 0 };

	tap_is_int(make(&problem, &text), SCANRT_OK, "the text is good");
	for (int i = 0; i < 4; i++) {
		int capability = capabilities[i / 2];
		struct srt_strbuf log = { 0 };
		struct srt_image image;

		if (!srt_rtc_has_arch(rtc, capability)) {
			tap_skip(2, "this NVRTC does not know sm_%d", capability);
			continue;
		}
		tap_is_int(srt_image_build_tool(&image, rtc, &problem, files[i % 2], capability, false, &log),
			SCANRT_OK, "%s compiles for sm_%d", files[i % 2], capability);
		tap_is_string(srt_strbuf_text(&log), "", "without a word of the compiler");
		srt_image_free(&image);
		srt_strbuf_free(&log);
	}
	srt_problem_free(&problem);
}

/* What is asked of a description before any compiler sees it. */
static void test_descriptions(void)
{
	struct srt_problem problem = { 0 };
	struct scanrt_problem given = SCANRT_PROBLEM_INIT;
	struct scanrt_user_type type = SCANRT_USER_TYPE_INIT;

	given.input_type = SCANRT_TYPE_USER;
	given.op = SCANRT_SUM;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_ERROR_TYPE, "no built-in operator takes a user's type");
	given.op = SCANRT_OPERATOR_USER;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_ERROR_NULL_POINTER, "a type needs a description");
	given.user_input = &type;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_ERROR_TEXT, "B077: a type has 1 to 4096 bytes");
	type.bytes = 4096;
	type.alignment = 3;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_ERROR_TEXT, "an alignment is a power of two");
	type.alignment = 16;
	type.bytes = 24;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_ERROR_TEXT, "a size is a multiple of the alignment");
	type.bytes = 32;
	type.name = "a b";
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_ERROR_TEXT, "a name is a name");
	type.name = "ns::type";
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_ERROR_NULL_POINTER, "an operator needs a description");
	given.input_type = SCANRT_I32;
	given.op = SCANRT_SUM;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_ERROR_TYPE,
		"a description that nobody asked for is refused");
}

int main(void)
{
	const struct srt_rtc *rtc = batch_compiler();

	tap_plan(0);
	test_descriptions();
	test_bad(rtc);
	test_good(rtc);
	test_padding(rtc);
	test_tools(rtc);
	return tap_done();
}
