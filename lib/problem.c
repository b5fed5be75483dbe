/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "status.h"
#include "versioned.h"

enum type_kind { KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT };

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
};

/* What accumulators an operator takes. */
#define TAKES_SIGNED (1u << KIND_SIGNED)
#define TAKES_UNSIGNED (1u << KIND_UNSIGNED)
#define TAKES_INTEGER (TAKES_SIGNED | TAKES_UNSIGNED)
#define TAKES_ANY (TAKES_INTEGER | 1u << KIND_FLOAT)

/* The public operators come first: srt_op_at() and srt_op_parse() stop at the internal ones. */
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
		if (strcmp(types[i].name, name) == 0) {
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

	for (i = 0; i < COUNT_OF(ops) && ops[i].is_public; i++)
		if (strcmp(ops[i].name, name) == 0) {
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

int srt_type_at(int index)
{
	return index >= 0 && index < COUNT_OF(types) ? types[index].type : 0;
}

int srt_op_at(int index)
{
	return index >= 0 && index < COUNT_OF(ops) && ops[index].is_public ? ops[index].op : 0;
}

/* The accumulator rule, once for all callers: the output type, but no sum of halves in halves unless asked for. */
static int default_accumulator(int output_type)
{
	return output_type == SCANRT_F16 || output_type == SCANRT_BF16 ? SCANRT_F32 : output_type;
}

static int resolve_types(struct srt_problem *problem)
{
	if (problem->output_type == SCANRT_TYPE_DEFAULT)
		problem->output_type = problem->input_type;
	if (problem->accumulator_type == SCANRT_TYPE_DEFAULT)
		problem->accumulator_type = default_accumulator(problem->output_type);
	if (!find_type(problem->input_type))
		return srt_fail(SCANRT_ERROR_TYPE, "unknown input type %d", problem->input_type);
	if (!find_type(problem->output_type))
		return srt_fail(SCANRT_ERROR_TYPE, "unknown output type %d", problem->output_type);
	if (!find_type(problem->accumulator_type))
		return srt_fail(SCANRT_ERROR_TYPE, "unknown accumulator type %d", problem->accumulator_type);
	if (!srt_op_takes(problem->op, problem->accumulator_type))
		return srt_fail(SCANRT_ERROR_TYPE, "operator %s does not take accumulators of type %s",
			srt_op_name(problem->op), srt_type_name(problem->accumulator_type));
	return SCANRT_OK;
}

static int resolve_count(struct srt_problem *problem, uint64_t min_count, uint64_t max_count)
{
	size_t input_size = srt_type_size(problem->input_type);
	size_t output_size = srt_type_size(problem->output_type);
	size_t size = input_size > output_size ? input_size : output_size;

	problem->max_count = max_count ? max_count : UINT64_C(1) << 32;
	problem->min_count = min_count ? min_count : 1;
	if (problem->min_count > problem->max_count)
		return srt_fail(SCANRT_ERROR_COUNT, "min_count %" PRIu64 " is over max_count %" PRIu64,
			problem->min_count, problem->max_count);
	/* No array is larger than half the address space: then no sum of an address and a size wraps. */
	if (problem->max_count > (uint64_t)INT64_MAX / size)
		return srt_fail(SCANRT_ERROR_COUNT,
			"max_count %" PRIu64 " elements of %zu bytes exceed the address space", problem->max_count,
			size);
	return SCANRT_OK;
}

/* The bytes are of the accumulator type by contract, so that no literal of the caller's can narrow the result. */
static int take_initial(struct srt_problem *problem, const struct scanrt_problem *given)
{
	size_t size = srt_type_size(problem->accumulator_type);

	problem->is_initial_on_device = given->flags & SCANRT_INITIAL_ON_DEVICE;
	problem->has_initial = given->initial != NULL;
	if (problem->is_initial_on_device && !given->initial)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "SCANRT_INITIAL_ON_DEVICE is set and initial is null");
	if (problem->is_initial_on_device && (uintptr_t)given->initial % size != 0)
		return srt_fail(SCANRT_ERROR_MISALIGNED,
			"the initial value at %p is not aligned to the %zu bytes of %s", given->initial, size,
			srt_type_name(problem->accumulator_type));
	assert(size <= sizeof(problem->initial));
	if (problem->is_initial_on_device)
		problem->initial_on_device = given->initial;
	else if (problem->has_initial)
		memcpy(problem->initial, given->initial, size);
	return SCANRT_OK;
}

static bool has_layout(const struct scanrt_problem *given)
{
	int i;

	for (i = 0; i < 3; i++)
		if (given->input_strides[i] || given->output_strides[i])
			return true;
	return given->outer_extent || given->inner_extent;
}

/* Values that are unknown are told apart from those that a later version will build. */
static int check_attributes(const struct scanrt_problem *given)
{
	if (!find_op(given->op) || !find_op(given->op)->is_public)
		return srt_fail(SCANRT_ERROR_OPERATOR, "unknown operator %d", given->op);
	if (given->mode != SCANRT_INCLUSIVE && given->mode != SCANRT_EXCLUSIVE)
		return srt_fail(SCANRT_ERROR_MODE, "unknown mode %d", given->mode);
	if (given->direction != SCANRT_FORWARD && given->direction != SCANRT_REVERSE)
		return srt_fail(SCANRT_ERROR_MODE, "unknown direction %d", given->direction);
	if (given->segments < SCANRT_SEGMENTS_NONE || given->segments > SCANRT_SEGMENTS_KEYS)
		return srt_fail(SCANRT_ERROR_MODE, "unknown kind of segments %d", given->segments);
	if (given->flags & ~SCANRT_INITIAL_ON_DEVICE)
		return srt_fail(SCANRT_ERROR_FLAGS, "unknown problem flags 0x%" PRIx32,
			given->flags & ~SCANRT_INITIAL_ON_DEVICE);
	if (given->direction == SCANRT_REVERSE)
		return srt_fail(SCANRT_ERROR_UNSUPPORTED, "reverse scans are not built yet");
	if (given->segments != SCANRT_SEGMENTS_NONE)
		return srt_fail(SCANRT_ERROR_UNSUPPORTED, "segmented scans are not built yet");
	if (has_layout(given))
		return srt_fail(SCANRT_ERROR_UNSUPPORTED, "scans along an axis are not built yet");
	return SCANRT_OK;
}

int srt_problem_init(struct srt_problem *problem, const struct scanrt_problem *public_problem)
{
	struct scanrt_problem given;
	struct srt_problem made = { 0 };
	int status;

	status = srt_versioned_read(&given, sizeof(given), public_problem, sizeof(given), "struct scanrt_problem");
	if (!status)
		status = check_attributes(&given);
	if (status)
		return status;
	made.input_type = given.input_type;
	made.accumulator_type = given.accumulator_type;
	made.output_type = given.output_type;
	made.op = given.op;
	made.is_exclusive = given.mode == SCANRT_EXCLUSIVE;
	status = resolve_types(&made);
	if (!status)
		status = resolve_count(&made, given.min_count, given.max_count);
	if (!status)
		status = take_initial(&made, &given);
	if (!status)
		*problem = made;
	return status;
}

int srt_problem_init_simple(struct srt_problem *problem, int type, int op)
{
	struct srt_problem made = { .input_type = type, .op = op };
	int status;

	if (!find_op(op))
		return srt_fail(SCANRT_ERROR_OPERATOR, "unknown operator %d", op);
	status = resolve_types(&made);
	if (!status)
		status = resolve_count(&made, 0, 0);
	if (!status)
		*problem = made;
	return status;
}

void srt_problem_format(struct srt_strbuf *out, const struct srt_problem *problem, bool is_exact)
{
	srt_strbuf_printf(out, "%s %s", srt_op_name(problem->op), srt_type_name(problem->input_type));
	if (problem->accumulator_type != problem->input_type || problem->output_type != problem->input_type)
		srt_strbuf_printf(out, ">%s>%s", srt_type_name(problem->accumulator_type),
			srt_type_name(problem->output_type));
	if (is_exact && problem->is_exclusive)
		srt_strbuf_append(out, " exclusive");
	if (is_exact && problem->has_initial)
		srt_strbuf_append(out, " initial");
}
