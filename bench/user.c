/* SPDX-License-Identifier: MIT
 *
 * The types and operators of the table's section `user`, as a caller would write them.  peers_user.cu has the same for
 * CUB, and user.cu the inputs and checks of those that are no sums of doubles.
 */
#include <string.h>

#include "status.h"
#include "table.h"

#define DOUBLES(words, alignment) \
	"struct alignas(" #alignment ") doubles { double word[" #words "]; };\n"

static const char add_text[] =
	"doubles apply(const doubles &earlier, const doubles &later)\n"
	"{\n"
	"	doubles sum;\n"
	"	#pragma unroll\n"
	"	for (int i = 0; i < int(sizeof sum / 8); i++)\n"
	"		sum.word[i] = earlier.word[i] + later.word[i];\n"
	"	return sum;\n"
	"}\n";
static const char add_pair_text[] =
	"doubles apply(const doubles &earlier, const doubles &later)\n"
	"{\n"
	"	return { { earlier.word[0] + later.word[0], earlier.word[1] + later.word[1] } };\n"
	"}\n";
/* What does not fit a thread's registers is best combined where it lies, several words at a time: the compiler does
 * not know that the sum is none of the operands, and would wait for each word before it asks for the next. */
static const char add_in_place_text[] =
	"void apply(doubles &sum, const doubles &earlier, const doubles &later)\n"
	"{\n"
	"	enum { words = sizeof sum / 8, batch = words % 16 == 0 ? 16 : 20 };\n"
	"	#pragma unroll 1\n"
	"	for (int i = 0; i < words; i += batch) {\n"
	"		double part[batch];\n"
	"		#pragma unroll\n"
	"		for (int k = 0; k < batch; k++)\n"
	"			part[k] = earlier.word[i + k] + later.word[i + k];\n"
	"		#pragma unroll\n"
	"		for (int k = 0; k < batch; k++)\n"
	"			sum.word[i + k] = part[k];\n"
	"	}\n"
	"}\n";
static const char affine_text[] = "struct affine { float slope, offset; };\n";
static const char maps_text[] =
	"affine apply(const affine &earlier, const affine &later)\n"
	"{\n"
	"	return { later.slope * earlier.slope, later.slope * earlier.offset + later.offset };\n"
	"}\n";
static const char table_text[] = "struct alignas(16) table { unsigned char to[16]; };\n";
static const char compose_text[] =
	"unsigned pick(const unsigned (&words)[4], unsigned index)\n"
	"{\n"
	"	unsigned low = __byte_perm(words[0], words[1], index), high = __byte_perm(words[2], words[3], index);\n"
	"	return (index & 8 ? high : low) & 255;\n"
	"}\n"
	"table apply(const table &earlier, const table &later)\n"
	"{\n"
	"	table both;\n"
	"	unsigned words[4];\n"
	"	memcpy(words, &later, 16);\n"
	"	#pragma unroll\n"
	"	for (int i = 0; i < 16; i++)\n"
	"		both.to[i] = pick(words, earlier.to[i]);\n"
	"	return both;\n"
	"}\n";
static const char make_table_text[] =
	"table load(unsigned char c)\n"
	"{\n"
	"	table made;\n"
	"	#pragma unroll\n"
	"	for (int i = 0; i < 16; i++)\n"
	"		made.to[i] = ((2 * (c & 7) + 1) * i + (c >> 3)) & 15;\n"
	"	return made;\n"
	"}\n";
static const char state_text[] = "unsigned char store(const table &t) { return t.to[0]; }\n";

static const struct bench_user users[] = {
	{ .row = "affine_f32", .builtin_type = SCANRT_AFFINE_F32, .builtin_op = SCANRT_AFFINE, .op = "affine",
	  .data = "user_data.cu", .bytes = 8 },
	{ .row = "affine8", .type = "affine", .bytes = 8, .alignment = 4, .type_text = affine_text, .op = "maps",
	  .op_text = maps_text, .data = "user_data.cu" },
	{ .row = "struct16", .type = "doubles", .bytes = 16, .alignment = 16, .type_text = DOUBLES(2, 16), .op = "add",
	  .op_text = add_pair_text, .is_commutative = true },
	{ .row = "struct32", .type = "doubles", .bytes = 32, .alignment = 16, .type_text = DOUBLES(4, 16), .op = "add",
	  .op_text = add_text, .is_commutative = true },
	{ .row = "struct96", .type = "doubles", .bytes = 96, .alignment = 8, .type_text = DOUBLES(12, 8), .op = "add",
	  .op_text = add_text, .is_commutative = true },
	{ .row = "struct136", .type = "doubles", .bytes = 136, .alignment = 8, .type_text = DOUBLES(17, 8), .op = "add",
	  .op_text = add_text, .is_commutative = true },
	{ .row = "struct512", .type = "doubles", .bytes = 512, .alignment = 8, .type_text = DOUBLES(64, 8), .op = "add",
	  .op_text = add_in_place_text, .is_commutative = true },
	{ .row = "struct2080", .type = "doubles", .bytes = 2080, .alignment = 8, .type_text = DOUBLES(260, 8),
	  .op = "add", .op_text = add_in_place_text, .is_commutative = true },
	{ .row = "struct4096", .type = "doubles", .bytes = 4096, .alignment = 8, .type_text = DOUBLES(512, 8),
	  .op = "add", .op_text = add_in_place_text, .is_commutative = true },
	{ .row = "table16", .type = "table", .bytes = 16, .alignment = 16, .type_text = table_text, .op = "compose",
	  .op_text = compose_text, .data = "user_data.cu" },
	{ .row = "u8>table16>u8", .type = "table", .bytes = 16, .alignment = 16, .type_text = table_text,
	  .op = "compose", .op_text = compose_text, .load_text = make_table_text, .store_text = state_text,
	  .builtin_type = SCANRT_U8, .data = "user_data.cu" },
	{ .row = NULL },
};

const struct bench_user *bench_user_find(const char *type, const char *op)
{
	for (const struct bench_user *user = users; user->row; user++)
		if (strcmp(user->row, type) == 0 && strcmp(user->op, op) == 0)
			return user;
	return NULL;
}

static bool is_of(const struct bench_user *user, const struct srt_problem *problem)
{
	int type = user->builtin_type ? user->builtin_type : SCANRT_TYPE_USER;

	if (user->builtin_op)
		return problem->op == user->builtin_op && problem->input_type == type;
	return problem->op == SCANRT_OPERATOR_USER && problem->input_type == type &&
		srt_problem_size(problem, SRT_ACCUMULATOR) == user->bytes &&
		strcmp(srt_problem_op_name(problem), user->op) == 0;
}

const struct bench_user *bench_user_of(const struct srt_problem *problem)
{
	for (const struct bench_user *user = users; user->row; user++)
		if (is_of(user, problem))
			return user;
	return NULL;
}

/* The descriptions live as long as the program and are the same for every call with one user. */
void bench_user_publish(struct scanrt_problem *problem, const struct bench_user *user)
{
	static struct scanrt_user_type types[sizeof users / sizeof users[0]];
	static struct scanrt_user_operator ops[sizeof users / sizeof users[0]];
	struct scanrt_user_type *type = &types[user - users];
	struct scanrt_user_operator *op = &ops[user - users];

	problem->input_type = problem->output_type = user->builtin_type;
	problem->op = user->builtin_op;
	if (user->builtin_op)
		return;
	*type = (struct scanrt_user_type){ sizeof *type, user->type, user->type_text, user->bytes, user->alignment };
	*op = (struct scanrt_user_operator)SCANRT_USER_OPERATOR_INIT;
	op->name = user->op;
	op->text = user->op_text;
	op->flags = user->is_commutative ? SCANRT_COMMUTATIVE : 0;
	problem->op = SCANRT_OPERATOR_USER;
	problem->user_operator = op;
	problem->accumulator_type = SCANRT_TYPE_USER;
	problem->user_accumulator = type;
	problem->load_text = user->load_text;
	problem->store_text = user->store_text;
	if (!user->builtin_type)
		problem->input_type = problem->output_type = SCANRT_TYPE_USER;
	if (!user->builtin_type)
		problem->user_input = problem->user_output = type;
}
