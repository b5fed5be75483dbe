/* SPDX-License-Identifier: MIT
 *
 * The built-in types and operators.
 */
#include <string.h>

#include "problem.h"
#include "status.h"

enum type_kind { KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT, KIND_USER };

/* The scalars come first: srt_type_at() ends with them. */
static const struct type_row {
	int type;
	const char *name;
	size_t size;
	enum type_kind kind;
} types[] = {
	{ SCANRT_I8, "i8", 1, KIND_SIGNED },
	{ SCANRT_I16, "i16", 2, KIND_SIGNED },
	{ SCANRT_I32, "i32", 4, KIND_SIGNED },
	{ SCANRT_I64, "i64", 8, KIND_SIGNED },
	{ SCANRT_U8, "u8", 1, KIND_UNSIGNED },
	{ SCANRT_U16, "u16", 2, KIND_UNSIGNED },
	{ SCANRT_U32, "u32", 4, KIND_UNSIGNED },
	{ SCANRT_U64, "u64", 8, KIND_UNSIGNED },
	{ SCANRT_F16, "f16", 2, KIND_FLOAT },
	{ SCANRT_BF16, "bf16", 2, KIND_FLOAT },
	{ SCANRT_F32, "f32", 4, KIND_FLOAT },
	{ SCANRT_F64, "f64", 8, KIND_FLOAT },
	{ SCANRT_TYPE_USER, "user", 0, KIND_USER },
};

/* What accumulators an operator takes. */
#define TAKES_SIGNED (1u << KIND_SIGNED)
#define TAKES_UNSIGNED (1u << KIND_UNSIGNED)
#define TAKES_INTEGER (TAKES_SIGNED | TAKES_UNSIGNED)
#define TAKES_ANY (TAKES_INTEGER | 1u << KIND_FLOAT)
#define TAKES_ALL (~0u)

/* The operators of scalars come first: srt_op_at() and srt_op_parse() end with them. */
static const struct op_row {
	int op;
	const char *name;
	const char *klass;
	unsigned takes;
	bool is_commutative;
	bool is_public;
} ops[] = {
	{ SCANRT_SUM, "sum", "arithmetic", TAKES_ANY, true, true },
	{ SCANRT_PROD, "prod", "arithmetic", TAKES_ANY, true, true },
	{ SCANRT_MIN, "min", "order", TAKES_ANY, true, true },
	{ SCANRT_MAX, "max", "order", TAKES_ANY, true, true },
	{ SCANRT_AND, "and", "bit", TAKES_INTEGER, true, true },
	{ SCANRT_OR, "or", "bit", TAKES_INTEGER, true, true },
	{ SCANRT_XOR, "xor", "bit", TAKES_INTEGER, true, true },
	{ SCANRT_OPERATOR_USER, "user", "user", TAKES_ALL, false, true },
	{ SRT_OP_LAST, "last", "check", TAKES_INTEGER, false, false },
	{ SRT_OP_AFFINE, "affine", "check", TAKES_UNSIGNED, false, false },
};

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const struct type_row *find_type(int type)
{
	int i;

	for (i = 0; i < COUNT_OF(types); i++)
		if (types[i].type == type)
			return &types[i];
	return NULL;
}

static const struct op_row *find_op(int op)
{
	int i;

	for (i = 0; i < COUNT_OF(ops); i++)
		if (ops[i].op == op)
			return &ops[i];
	return NULL;
}

size_t srt_type_size(int type)
{
	const struct type_row *row = find_type(type);

	return row ? row->size : 0;
}

const char *srt_type_name(int type)
{
	const struct type_row *row = find_type(type);

	return row ? row->name : NULL;
}

int srt_type_parse(int *type, const char *name)
{
	int i;

	for (i = 0; i < COUNT_OF(types); i++)
		if (types[i].kind != KIND_USER && strcmp(types[i].name, name) == 0) {
			*type = types[i].type;
			return SCANRT_OK;
		}
	return srt_fail(SCANRT_ERROR_TYPE, "unknown type '%s'", name);
}

bool srt_type_is_float(int type)
{
	const struct type_row *row = find_type(type);

	return row && row->kind == KIND_FLOAT;
}

bool srt_type_is_signed(int type)
{
	const struct type_row *row = find_type(type);

	return row && row->kind != KIND_UNSIGNED;
}

const char *srt_op_name(int op)
{
	const struct op_row *row = find_op(op);

	return row ? row->name : NULL;
}

int srt_op_parse(int *op, const char *name)
{
	int i;

	for (i = 0; i < COUNT_OF(ops); i++)
		if (ops[i].is_public && ops[i].op != SCANRT_OPERATOR_USER && strcmp(ops[i].name, name) == 0) {
			*op = ops[i].op;
			return SCANRT_OK;
		}
	return srt_fail(SCANRT_ERROR_OPERATOR, "unknown operator '%s'", name);
}

const char *srt_op_class(int op)
{
	const struct op_row *row = find_op(op);

	return row ? row->klass : NULL;
}

bool srt_op_takes(int op, int accumulator_type)
{
	const struct op_row *row = find_op(op);
	const struct type_row *type = find_type(accumulator_type);

	return row && type && (row->takes >> type->kind & 1);
}

bool srt_op_is_commutative(int op)
{
	const struct op_row *row = find_op(op);

	return row && row->is_commutative;
}

size_t srt_type_alignment(int type)
{
	return srt_type_size(type);
}

bool srt_op_is_public(int op)
{
	const struct op_row *row = find_op(op);

	return row && row->is_public;
}

int srt_type_at(int index)
{
	return index >= 0 && index < COUNT_OF(types) && types[index].kind <= KIND_FLOAT ? types[index].type : 0;
}

int srt_op_at(int index)
{
	return index >= 0 && index < COUNT_OF(ops) && ops[index].op <= SCANRT_XOR ? ops[index].op : 0;
}
