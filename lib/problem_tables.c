/* SPDX-License-Identifier: MIT
 *
 * The built-in types and operators.
 */
#include <string.h>

#include "problem.h"
#include "status.h"

enum type_kind {
	KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT, KIND_WIDE, KIND_COMPLEX, KIND_AFFINE, KIND_INDEXED, KIND_OPTIONAL,
	KIND_MATRIX, KIND_MOMENTS, KIND_USER
};

/* The scalars come first: srt_type_at() and srt_type_parse() end with them. */
static const struct type_row {
	int type;
	const char *name;
	size_t size;
	enum type_kind kind;
	int component;  /* what it is made of; 0: itself */
	int index_type; /* of KIND_INDEXED */
} types[] = {
	{ SCANRT_I8, "i8", 1, KIND_SIGNED, 0, 0 },
	{ SCANRT_I16, "i16", 2, KIND_SIGNED, 0, 0 },
	{ SCANRT_I32, "i32", 4, KIND_SIGNED, 0, 0 },
	{ SCANRT_I64, "i64", 8, KIND_SIGNED, 0, 0 },
	{ SCANRT_U8, "u8", 1, KIND_UNSIGNED, 0, 0 },
	{ SCANRT_U16, "u16", 2, KIND_UNSIGNED, 0, 0 },
	{ SCANRT_U32, "u32", 4, KIND_UNSIGNED, 0, 0 },
	{ SCANRT_U64, "u64", 8, KIND_UNSIGNED, 0, 0 },
	{ SCANRT_F16, "f16", 2, KIND_FLOAT, 0, 0 },
	{ SCANRT_BF16, "bf16", 2, KIND_FLOAT, 0, 0 },
	{ SCANRT_F32, "f32", 4, KIND_FLOAT, 0, 0 },
	{ SCANRT_F64, "f64", 8, KIND_FLOAT, 0, 0 },
	{ SCANRT_I128, "i128", 16, KIND_WIDE, SCANRT_U64, 0 },
	{ SCANRT_U128, "u128", 16, KIND_WIDE, SCANRT_U64, 0 },
	{ SCANRT_C64, "c64", 8, KIND_COMPLEX, SCANRT_F32, 0 },
	{ SCANRT_C128, "c128", 16, KIND_COMPLEX, SCANRT_F64, 0 },
	{ SCANRT_AFFINE_F32, "affine_f32", 8, KIND_AFFINE, SCANRT_F32, 0 },
	{ SCANRT_AFFINE_F64, "affine_f64", 16, KIND_AFFINE, SCANRT_F64, 0 },
	{ SCANRT_AFFINE_C64, "affine_c64", 16, KIND_AFFINE, SCANRT_C64, 0 },
	{ SCANRT_INDEXED_I32, "indexed_i32", 8, KIND_INDEXED, SCANRT_I32, SCANRT_U32 },
	{ SCANRT_INDEXED_I64, "indexed_i64", 16, KIND_INDEXED, SCANRT_I64, SCANRT_U64 },
	{ SCANRT_INDEXED_F32, "indexed_f32", 8, KIND_INDEXED, SCANRT_F32, SCANRT_U32 },
	{ SCANRT_INDEXED_F64, "indexed_f64", 16, KIND_INDEXED, SCANRT_F64, SCANRT_U64 },
	{ SCANRT_OPTIONAL_I32, "optional_i32", 8, KIND_OPTIONAL, SCANRT_I32, 0 },
	{ SCANRT_OPTIONAL_I64, "optional_i64", 16, KIND_OPTIONAL, SCANRT_I64, 0 },
	{ SCANRT_OPTIONAL_F32, "optional_f32", 8, KIND_OPTIONAL, SCANRT_F32, 0 },
	{ SCANRT_OPTIONAL_F64, "optional_f64", 16, KIND_OPTIONAL, SCANRT_F64, 0 },
	{ SCANRT_MATRIX2_U32, "matrix2_u32", 16, KIND_MATRIX, SCANRT_U32, 0 },
	{ SCANRT_MATRIX2_F32, "matrix2_f32", 16, KIND_MATRIX, SCANRT_F32, 0 },
	{ SCANRT_MATRIX2_F64, "matrix2_f64", 32, KIND_MATRIX, SCANRT_F64, 0 },
	{ SCANRT_MOMENTS_F32, "moments_f32", 12, KIND_MOMENTS, SCANRT_F32, 0 },
	{ SCANRT_MOMENTS_F64, "moments_f64", 24, KIND_MOMENTS, SCANRT_F64, 0 },
	{ SCANRT_TYPE_USER, "user", 0, KIND_USER, 0, 0 },
};

/* What accumulators an operator takes. */
#define TAKES_SIGNED (1u << KIND_SIGNED)
#define TAKES_UNSIGNED (1u << KIND_UNSIGNED)
#define TAKES_FLOAT (1u << KIND_FLOAT)
#define TAKES_INTEGER (TAKES_SIGNED | TAKES_UNSIGNED | 1u << KIND_WIDE)
#define TAKES_REAL (TAKES_INTEGER | TAKES_FLOAT)
#define TAKES_NUMBER (TAKES_REAL | 1u << KIND_COMPLEX)
#define TAKES_SCALAR_INTEGER (TAKES_SIGNED | TAKES_UNSIGNED)
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
	{ SCANRT_SUM, "sum", "arithmetic", TAKES_NUMBER, true, true },
	{ SCANRT_PROD, "prod", "arithmetic", TAKES_NUMBER, true, true },
	{ SCANRT_MIN, "min", "order", TAKES_REAL, true, true },
	{ SCANRT_MAX, "max", "order", TAKES_REAL, true, true },
	{ SCANRT_AND, "and", "bit", TAKES_INTEGER, true, true },
	{ SCANRT_OR, "or", "bit", TAKES_INTEGER, true, true },
	{ SCANRT_XOR, "xor", "bit", TAKES_INTEGER, true, true },
	{ SCANRT_LOGADDEXP, "logaddexp", "logaddexp", TAKES_FLOAT, true, true },
	{ SCANRT_AFFINE, "affine", "affine", 1u << KIND_AFFINE, false, true },
	{ SCANRT_ARGMIN, "argmin", "argument", 1u << KIND_INDEXED, false, true },
	{ SCANRT_ARGMAX, "argmax", "argument", 1u << KIND_INDEXED, false, true },
	{ SCANRT_LAST_VALID, "last_valid", "last", 1u << KIND_OPTIONAL, false, true },
	{ SCANRT_MATMUL, "matmul", "matmul", 1u << KIND_MATRIX, false, true },
	{ SCANRT_MOMENTS, "moments", "moments", 1u << KIND_MOMENTS, false, true },
	{ SCANRT_SATURATING_SUM, "saturating_sum", "arithmetic", TAKES_UNSIGNED, true, true },
	{ SCANRT_OPERATOR_USER, "user", "user", TAKES_ALL, false, true },
	{ SRT_OP_LAST, "last", "check", TAKES_SCALAR_INTEGER, false, false },
	{ SRT_OP_AFFINE, "packed", "check", TAKES_UNSIGNED, false, false },
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
		if (types[i].kind <= KIND_FLOAT && strcmp(types[i].name, name) == 0) {
			*type = types[i].type;
			return SCANRT_OK;
		}
	return srt_fail(SCANRT_ERROR_TYPE, "unknown type '%s'", name);
}

bool srt_type_is_float(int type)
{
	const struct type_row *row = find_type(type);

	return row && (row->component ? srt_type_is_float(row->component) : row->kind == KIND_FLOAT);
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
		if (ops[i].op <= SCANRT_XOR && strcmp(ops[i].name, name) == 0) {
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
	const struct type_row *row = find_type(type);

	return row && row->component ? srt_type_alignment(row->component) : srt_type_size(type);
}

static bool is_scalar(const struct type_row *row)
{
	return row->kind <= KIND_FLOAT;
}

/* Numbers become any other number.  Of the rest, a value makes some structures, and is taken from some. */
bool srt_type_converts(int from, int to)
{
	const struct type_row *source = find_type(from);
	const struct type_row *target = find_type(to);

	if (from == to || !source || !target || (is_scalar(source) && is_scalar(target)))
		return true;
	if (target->kind == KIND_INDEXED || target->kind == KIND_OPTIONAL || target->kind == KIND_MOMENTS)
		return from == target->component;
	if (source->kind == KIND_INDEXED && to == source->index_type)
		return true;
	return (source->kind == KIND_AFFINE || source->kind == KIND_INDEXED || source->kind == KIND_OPTIONAL) &&
		to == source->component;
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
