/* SPDX-License-Identifier: MIT
 *
 * Problems that files state: what they mean, what is wrong with them and in which line, and that no file, however
 * broken, does more than be refused.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../tuner/data.h"
#include "../../tuner/problem_file.h"
#include "status.h"
#include "tap.h"

static const char pair_text[] = "struct pair { float slope, offset; };";
static const char op_text[] = "pair apply(pair e, pair l)\n{\n\treturn {l.slope * e.slope, l.slope * e.offset};\n}\n";

#define GOOD \
	"# a recurrence\n" \
	"type pair 8 4 <<END\n" \
	"struct pair { float slope, offset; };\n" \
	"END\n" \
	"layout pair f32:-1:1 f32 # both floats\n" \
	"input pair\n" \
	"operator compose <<END\n" \
	"pair apply(pair e, pair l)\n{\n\treturn {l.slope * e.slope, l.slope * e.offset};\n}\n" \
	"END\n" \
	"identity f32 1 0\n" \
	"initial f32 1 0.5\n"

static int parse(struct tune_described *described, const char *text)
{
	return tune_described_parse(described, "file", text, strlen(text));
}

/* ---- What a file means ---- */

static void make_of_api(struct srt_problem *problem, uint32_t flags)
{
	static const float identity[] = { 1, 0 }, initial[] = { 1, 0.5f };
	struct scanrt_problem given = SCANRT_PROBLEM_INIT;
	struct scanrt_user_type type = SCANRT_USER_TYPE_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;

	type.name = "pair";
	type.text = pair_text;
	type.bytes = 8;
	type.alignment = 4;
	op.name = "compose";
	op.text = op_text;
	op.identity = identity;
	op.flags = flags;
	given.input_type = SCANRT_TYPE_USER;
	given.user_input = &type;
	given.op = SCANRT_OPERATOR_USER;
	given.user_operator = &op;
	given.initial = initial;
	tap_is_int(srt_problem_init(problem, &given), SCANRT_OK, "the problem of the API is good");
}

static void test_equal_problems(void)
{
	struct srt_strbuf ours = {0}, theirs = {0};
	struct tune_described described;
	struct srt_problem problem = {0};

	tap_is_int(parse(&described, GOOD), SCANRT_OK, "a good file is read: %s", srt_error_last()->text);
	make_of_api(&problem, 0);
	srt_problem_format(&ours, &described.problem, true);
	srt_problem_format(&theirs, &problem, true);
	tap_is_string(srt_strbuf_text(&ours), srt_strbuf_text(&theirs), "file and API state one problem");
	tap_is_string(described.problem.user->text, problem.user->text, "with one text for the compiler");
	tap_is_bytes(described.problem.initial, problem.initial, 8, "and one initial value");
	tune_described_free(&described);
	tap_is_int(parse(&described, "\xef\xbb\xbf" GOOD), SCANRT_OK, "a mark of UTF-8 before the first line is none");
	tap_is_string(described.problem.user->mark, problem.user->mark, "and makes no other problem");
	srt_problem_free(&problem);
	make_of_api(&problem, SCANRT_COMMUTATIVE);
	tap_ok(strcmp(described.problem.user->mark, problem.user->mark) != 0, "another flag is another problem");
	srt_problem_free(&problem);
	tap_is_uint(described.mode_count, 2, "an exclusive scan has a first result here");
	tap_is_near(described.tolerance, 1e-4, 0, "floats are held to half of their digits");
	tap_is_int(srt_problem_init(&problem, &described.given), SCANRT_OK, "the public structure is there, too");
	tap_is_string(problem.user->mark, described.problem.user->mark, "and states the same");
	srt_problem_free(&problem);
	srt_strbuf_free(&ours);
	srt_strbuf_free(&theirs);
	tune_described_free(&described);
}

static void test_others(void)
{
	struct tune_described described;
	char text[64];

	tap_is_int(parse(&described, "input f32\noperator sum\n"), SCANRT_OK, "built-in names do");
	tap_ok(!described.problem.user && described.problem.op == SCANRT_SUM, "and nothing is the caller's then");
	tap_is_uint(described.mode_count, 2, "in both modes");
	tune_described_free(&described);
	tap_is_int(parse(&described, "input indexed_f64\naccumulator indexed_f64\noperator argmax\noutput u64\n"
		"mode exclusive"), SCANRT_OK, "so do those that are no scalars");
	tap_ok(described.problem.is_exclusive && described.mode_count == 1, "a mode that is said is the only one");
	tune_described_free(&described);
	tap_is_int(parse(&described, "type b 5 1\ninput b\noperator o <<.\nint x;\n.\nstate u8 3*7 i16 -2\n"
		"commutative\nlayout b 2*u8:1:3 pad 2*pad\n"), SCANRT_OK, "opaque bytes, a state, padding: %s",
		srt_error_last()->text);
	tap_is_bytes(described.state, "\7\7\7\376\377", 5, "the state's bytes follow each other");
	tap_is_uint(described.state_bytes, 5, "and are so many");
	tap_ok(described.problem.user->has_state && described.problem.user->is_commutative, "flags are set");
	tap_is_uint(described.mode_count, 1, "without an identity there is no exclusive scan");
	tap_ok(tune_layout_deviation(&described.layouts[SRT_INPUT], "\1\2abc", "\1\2xyz", NULL) == 0,
		"padding is not compared");
	tap_ok(isinf(tune_layout_deviation(&described.layouts[SRT_INPUT], "\1\2abc", "\1\3abc", NULL)),
		"and all else is");
	tune_layout_print(text, sizeof text, &described.layouts[SRT_INPUT], "\1\2abc");
	tap_is_string(text, "{1, 2}", "nor is it printed");
	tune_described_locate(text, sizeof text, &described, "x: operator o(1): error");
	tap_is_string(text, "file:4: x: operator o(1): error", "a line of a text is one of the file");
	tune_described_free(&described);
}

static void test_layouts(void)
{
	struct tune_layout layout;
	char words[] = "i8:-2:1 u16 f16:0:1 f64";
	unsigned char element[13], other[13];
	double scale[2] = {0};
	uint64_t state = 7;
	unsigned outside = 0, lows = 0;
	double value = 2;

	tap_ok(tune_layout_parse(&layout, words) == NULL, "a layout is read");
	tap_is_uint(layout.bytes, 13, "fields follow each other");
	for (int i = 0; i < 1000; i++) {
		tune_layout_random(element, &layout, &state);
		outside += (signed char)element[0] < -2 || (signed char)element[0] > 1;
		lows += (signed char)element[0] == -2;
	}
	tap_is_uint(outside, 0, "random integers stay in their range");
	tap_ok(lows > 150 && lows < 350, "and take a quarter of it each: %u", lows);
	memcpy(element + 5, &value, sizeof value);
	memcpy(other, element, sizeof other);
	value = 2 + 2e-6;
	memcpy(other + 5, &value, sizeof value);
	tap_is_near(tune_layout_deviation(&layout, element, other, NULL), 1e-6, 1e-9, "floats deviate in parts");
	value = 200;
	memcpy(other + 5, &value, sizeof value);
	tune_layout_grow(scale, &layout, other);
	value = 2 + 2e-6;
	memcpy(other + 5, &value, sizeof value);
	tap_is_near(tune_layout_deviation(&layout, element, other, scale), 1e-8, 1e-11, "of the largest there was");
	value = NAN;
	memcpy(other + 5, &value, sizeof value);
	tap_ok(isinf(tune_layout_deviation(&layout, element, other, scale)), "a NaN is no number");
	tap_ok(tune_layout_deviation(&layout, other, other, scale) == 0, "but is itself");
}

static void test_many(void)
{
	float wanted[] = { 1, 100, NAN, 2, INFINITY, 3 }, seen[6];
	double scale[1] = {0};
	struct tune_layout layout;
	char words[] = "f32";

	tap_ok(tune_layout_parse(&layout, words) == NULL, "a layout is read");
	memcpy(seen, wanted, sizeof seen);
	seen[3] += 1e-5f;
	tap_ok(tune_layout_find_off(&layout, wanted, seen, 6, scale, 1e-6) == UINT64_MAX,
		"what is off by less than the tolerance of the largest so far is not found");
	tap_is_near(scale[0], 100, 0, "the largest is a number");
	seen[5] = 3.1f;
	tap_is_uint(tune_layout_find_off(&layout, wanted, seen, 6, scale, 1e-6), 5, "what is off by more is");
	seen[2] = 0;
	tap_is_uint(tune_layout_find_off(&layout, wanted, seen, 6, scale, 1e-6), 2, "and so is a number for a NaN");
	seen[2] = NAN;
	seen[4] = 1;
	tap_is_uint(tune_layout_find_off(&layout, wanted, seen, 6, scale, 1e-6), 4, "or for an infinity");
}

/* ---- What is wrong ---- */

static void test_errors(void)
{
	static const struct { const char *text, *says; } cases[] = {
		{ "", "file: there is no statement \"operator\"" },
		{ "operator sum\n", "there is no statement \"input\"" },
		{ "input f32\n\nfrobnicate 3\n", "file:3: there is no statement \"frobnicate\"" },
		{ "input f31\noperator sum\n", "file:1: there is no type f31" },
		{ "input f32 f32\noperator sum\n", "file:1: one name of a type" },
		{ "input f32\ninput f32\n", "file:2: input is there twice: first in line 1" },
		{ "input f32\noperator plus\n", "file:2: there is no built-in operator plus" },
		{ "input f32\noperator xor\n", "file: operator xor does not take" },
		{ "operator o <<END\nint x;\n", "file:1: the text is not ended by a line \"END\"" },
		{ "operator o END\n", "file:1: operator: a text begins with <<MARK" },
		{ "load\n", "file:1: load conversion: a text begins" },
		{ "type a\n", "file:1: a type has a name, a size and an alignment" },
		{ "type a 8 x\n", "file:1: a type has" },
		{ "type f32 4 4\n", "file:1: f32 is a built-in type" },
		{ "type a 8 4\ntype a 8 4\n", "file:2: there is a type a already" },
		{ "type a 5000 8\ninput a\noperator o <<E\nE\n", "5000 bytes, and 1 to 4096" },
		{ "type a 8 3\ninput a\noperator o <<E\nE\n", "alignment 3" },
		{ "type a 12 8\ninput a\noperator o <<E\nE\n", "no multiple of its alignment" },
		{ "input f32\noperator sum\nidentity f32 0\n", "file:3: this is for operators that have a text" },
		{ "input f32\noperator sum\ninitial 1\n", "file:3: the initial value does not begin with the type" },
		{ "input f32\noperator sum\ninitial f32 one\n", "file:3: the initial value has a word that is no" },
		{ "input f32\noperator sum\ninitial f32 1 2\n", "file:3: the initial value has more bytes" },
		{ "input f64\noperator sum\ninitial f32 1\n", "file:3: the initial value has fewer bytes" },
		{ "input f64\noperator sum\ninitial f32 1 ... 3\n", "has something behind ..." },
		{ "input u8\noperator sum\ninitial u8 256\n", "no number of its type" },
		{ "input i8\noperator sum\ninitial i8 -129\n", "no number of its type" },
		{ "input u8\noperator sum\ninitial u8 -1\n", "no number of its type" },
		{ "input u8\noperator sum\ninitial u8 9999999999999999999*1\n", "repetitions" },
		{ "input u8\noperator sum\nmode both\n", "file:3: \"both\" is no mode" },
		{ "input u8\noperator sum\nmode inclusive inclusive\n", "file:3: mode inclusive is there twice" },
		{ "input u8\noperator sum\ntolerance 2\n", "file:3: a tolerance" },
		{ "input u8\noperator sum\nlayout u8 u16\n", "file:3: the layout has 2 bytes, and type u8 has 1" },
		{ "input u8\noperator sum\nlayout u8 x8\n", "file:3: the layout has a word that is no type" },
		{ "input u8\noperator sum\nlayout u8 u8:0:256\n", "file:3: the layout has a range" },
		{ "input u8\noperator sum\nlayout u8 u8:5:1\n", "file:3: the layout has a range" },
		{ "input u8\noperator sum\nlayout i8 i8\n", "file:3: no element is of type i8" },
		{ "input u8\noperator sum\nlayout u8 u8\nlayout u8 u8\n", "file:4: there is a layout of u8 already" },
		{ "type a 8 4\ninput a\noperator o <<E\nE\nmode exclusive\n", "no identity" },
		{ "type a 8 4\ninput a\noperator o <<E\nE\nmode inclusive exclusive\n", "no identity" },
		{ "type a 8 4\ninput a\noutput f32\noperator o <<E\nE\n",
			"there is no load_text (an accumulator type that is not set is the output type)" },
		{ "type a 8 4\ninput a\noperator o <<E\nE\ncommutative yes\n", "file:5: nothing stands behind" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct tune_described described;

		tap_ok(parse(&described, cases[i].text) != SCANRT_OK, "refused: %s", cases[i].says);
		tap_contains(srt_error_last()->text, cases[i].says, "and the sentence says so");
	}
}

/* Lines may end as other systems end them; within a text, that is part of it. */
static void test_line_ends(void)
{
	static const char text[] = "type a 4 4 <<E\r\nstruct a { int x; };\r\nE\r\ninput a\r\noperator o <<E\r\n"
		"a apply(a e, a l) { return {e.x + l.x}; }\r\nE\r\n";
	struct tune_described described;

	tap_is_int(parse(&described, text), SCANRT_OK, "lines may end in a carriage return: %s", scanrt_last_error());
	tap_is_string(described.types[0].text, "struct a { int x; };\r\n", "a text's are part of it");
	tune_described_free(&described);
}

/* ---- Broken files ---- */

/* A part of the text deleted, doubled or overwritten. */
static size_t mutate(char *text, size_t length, uint64_t *state)
{
	static const char bytes[] = " \n\t#*:<.0123456789-~\x01\xff\r\0E";
	size_t at = tune_random(state) % length, more = tune_random(state) % 24;

	more = at + more > length ? length - at : more;
	switch (tune_random(state) % 3) {
	case 0:
		memmove(text + at, text + at + more, length - at - more);
		return length - more;
	case 1:
		memmove(text + at + more, text + at, length - at);
		return length + more;
	default:
		for (size_t i = 0; i < more; i++)
			text[at + i] = bytes[tune_random(state) % (sizeof bytes - 1)];
		return length;
	}
}

static void test_broken(void)
{
	unsigned refused = 0, odd = 0, rounds = 20000;
	uint64_t state = 1;

	for (unsigned i = 0; i < rounds; i++) {
		struct tune_described described;
		char text[sizeof GOOD + 200] = GOOD;
		size_t length = sizeof GOOD - 1;
		int status;

		for (unsigned k = 0; k <= i % 4; k++)
			length = mutate(text, length ? length : 1, &state);
		srt_error_clear();
		status = tune_described_parse(&described, "file", text, length);
		refused += status != SCANRT_OK;
		odd += status != SCANRT_OK && srt_error_last()->text[0] == '\0';
		if (!status)
			tune_described_free(&described);
	}
	tap_ok(refused > rounds / 2 && refused < rounds, "most broken files are refused: %u of %u", refused, rounds);
	tap_is_uint(odd, 0, "each with a reason");
}

int main(void)
{
	tap_plan(0);
	test_equal_problems();
	test_others();
	test_layouts();
	test_many();
	test_errors();
	test_line_ends();
	test_broken();
	return tap_done();
}
