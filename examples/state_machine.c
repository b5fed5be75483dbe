/* SPDX-License-Identifier: MIT
 *
 * A finite-state machine of 16 states, run over all of its input at once: a byte becomes the table of where it takes
 * each state, tables are composed, and the state after each byte is what the composition makes of the first one.  Here
 * the states count open brackets up to 14, and state 15 is an error.
 */
#include "user_scan.h"

#define COUNT 3000
#define STATES 16

static const char table_text[] = "struct alignas(16) table { unsigned char to[16]; };\n";
/* Constant indices only: a table indexed by a variable would not stay in registers. */
static const char compose_text[] =
	"unsigned pick(const unsigned (&words)[4], unsigned index)\n"
	"{\n"
	"	unsigned low = __byte_perm(words[0], words[1], index), high = __byte_perm(words[2], words[3], index);\n"
	"	return (index & 8 ? high : low) & 255;\n"
	"}\n"
	"table apply(const table &a, const table &b)\n"
	"{\n"
	"	table c;\n"
	"	unsigned words[4];\n"
	"	memcpy(words, &b, 16);\n"
	"	#pragma unroll\n"
	"	for (int i = 0; i < 16; i++)\n"
	"		c.to[i] = pick(words, a.to[i]);\n"
	"	return c;\n"
	"}\n";
static const char load_text[] =
	"table load(unsigned char c)\n"
	"{\n"
	"	table t;\n"
	"	#pragma unroll\n"
	"	for (int i = 0; i < 16; i++)\n"
	"		t.to[i] = i == 15 ? 15 : c == '(' ? i + 1 : c == ')' ? (i == 0 ? 15 : i - 1) : i;\n"
	"	return t;\n"
	"}\n";
static const char store_text[] = "unsigned char store(const table &t) { return t.to[0]; }\n";

static int next(int state, unsigned char c)
{
	if (state == 15)
		return 15;
	return c == '(' ? state + 1 : c == ')' ? (state == 0 ? 15 : state - 1) : state;
}

int main(void)
{
	static unsigned char text[COUNT], states[COUNT];
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_user_type type = SCANRT_USER_TYPE_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;
	int state = 0, wrong = 0;

	type.name = "table";
	type.text = table_text;
	type.bytes = STATES;
	type.alignment = 16;
	op.name = "compose";
	op.text = compose_text;
	problem.input_type = SCANRT_U8;
	problem.accumulator_type = SCANRT_TYPE_USER;
	problem.user_accumulator = &type;
	problem.output_type = SCANRT_U8;
	problem.op = SCANRT_OPERATOR_USER;
	problem.user_operator = &op;
	problem.load_text = load_text;
	problem.store_text = store_text;
	for (int i = 0; i < COUNT; i++)
		text[i] = (unsigned char)"(a(b)c)((d)(e))"[i % 15];
	text[COUNT - 10] = ')'; /* one too many */
	text[COUNT - 9] = ')';
	text[COUNT - 8] = ')';
	scan_on_device(&problem, states, 1, text, 1, COUNT);
	for (int i = 0; i < COUNT; i++) {
		state = next(state, text[i]);
		wrong += states[i] != state;
	}
	printf("%d states are wrong; the last one is %d\n", wrong, states[COUNT - 1]);
	return wrong == 0 && states[COUNT - 1] == 15 ? EXIT_SUCCESS : EXIT_FAILURE;
}
