/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "status.h"
#include "versioned.h"

#define FIRST_SIZE offsetof(struct scanrt_problem, user_input) /* what the first version had */

/* The accumulator rule, once for all callers: the output type, but no sum of halves in halves unless asked for. */
static int default_accumulator(int output_type)
{
	return output_type == SCANRT_F16 || output_type == SCANRT_BF16 ? SCANRT_F32 : output_type;
}

/* A default takes over the description of the caller's type, too.  True where the accumulator's type is one. */
static bool resolve_defaults(struct scanrt_problem *given)
{
	bool is_defaulted = given->accumulator_type == SCANRT_TYPE_DEFAULT;

	if (given->output_type == SCANRT_TYPE_DEFAULT) {
		given->output_type = given->input_type;
		given->user_output = given->user_input;
	}
	if (is_defaulted) {
		given->accumulator_type = default_accumulator(given->output_type);
		given->user_accumulator = given->user_output;
	}
	return is_defaulted;
}

/* Those of the caller's types are checked with them (user.c). */
static int check_conversions(const struct scanrt_problem *given)
{
	bool is_load_ours = !given->load_text && given->input_type != SCANRT_TYPE_USER;
	bool is_store_ours = !given->store_text && given->output_type != SCANRT_TYPE_USER;

	if (given->accumulator_type == SCANRT_TYPE_USER)
		return SCANRT_OK;
	if (is_load_ours && !srt_type_converts(given->input_type, given->accumulator_type))
		return srt_fail(SCANRT_ERROR_TYPE, "input type %s does not convert to accumulator type %s",
			srt_type_name(given->input_type), srt_type_name(given->accumulator_type));
	if (is_store_ours && !srt_type_converts(given->accumulator_type, given->output_type))
		return srt_fail(SCANRT_ERROR_TYPE, "accumulator type %s does not convert to output type %s",
			srt_type_name(given->accumulator_type), srt_type_name(given->output_type));
	return SCANRT_OK;
}

/* Whoever asks for the offsets of affine maps, say, states input and output, and not what lies between. */
static int refuse_accumulator(const struct scanrt_problem *given, bool is_defaulted)
{
	bool would_do = is_defaulted && given->input_type != given->accumulator_type &&
		srt_op_takes(given->op, given->input_type);

	return srt_fail(SCANRT_ERROR_TYPE, "operator %s does not take accumulators of type %s%s%s",
		srt_op_name(given->op), srt_type_name(given->accumulator_type),
		would_do ? ", which is the default with this output type: set accumulator_type, say to " : "",
		would_do ? srt_type_name(given->input_type) : "");
}

static int check_types(const struct scanrt_problem *given, bool is_defaulted)
{
	if (!srt_type_name(given->input_type))
		return srt_fail(SCANRT_ERROR_TYPE, "unknown input type %d", given->input_type);
	if (!srt_type_name(given->output_type))
		return srt_fail(SCANRT_ERROR_TYPE, "unknown output type %d", given->output_type);
	if (!srt_type_name(given->accumulator_type))
		return srt_fail(SCANRT_ERROR_TYPE, "unknown accumulator type %d", given->accumulator_type);
	if (!srt_op_takes(given->op, given->accumulator_type))
		return refuse_accumulator(given, is_defaulted);
	return check_conversions(given);
}

static int resolve_count(struct srt_problem *problem, uint64_t min_count, uint64_t max_count)
{
	size_t input_size = srt_problem_size(problem, SRT_INPUT);
	size_t output_size = srt_problem_size(problem, SRT_OUTPUT);
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
	size_t size = srt_problem_size(problem, SRT_ACCUMULATOR);
	size_t alignment = srt_problem_alignment(problem, SRT_ACCUMULATOR);

	problem->is_initial_on_device = given->flags & SCANRT_INITIAL_ON_DEVICE;
	problem->has_initial = given->initial != NULL;
	if (problem->is_initial_on_device && !given->initial)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "SCANRT_INITIAL_ON_DEVICE is set and initial is null");
	if (problem->is_initial_on_device && (uintptr_t)given->initial % alignment != 0)
		return srt_fail(SCANRT_ERROR_MISALIGNED,
			"the initial value at %p is not aligned to the %zu bytes of %s", given->initial, alignment,
			srt_problem_type_name(problem, SRT_ACCUMULATOR));
	if (problem->is_initial_on_device)
		problem->initial_on_device = given->initial;
	else if (problem->has_initial && size <= sizeof(problem->initial))
		memcpy(problem->initial, given->initial, size);
	else
		assert(!problem->has_initial || problem->user); /* which keeps it */
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
	if (!srt_op_is_public(given->op))
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

/* Nothing stands for a first result that the operator does not have. */
static int check_first_result(const struct srt_problem *problem)
{
	if (problem->op == SCANRT_OPERATOR_USER && problem->is_exclusive && !problem->has_initial &&
			!problem->user->has_identity)
		return srt_fail(SCANRT_ERROR_OPERATOR,
			"operator %s has no identity, and an exclusive scan then needs an initial value",
			problem->user->operator_name);
	return SCANRT_OK;
}

static int fill(struct srt_problem *made, const struct scanrt_problem *given, bool is_defaulted)
{
	int status = check_types(given, is_defaulted);

	made->input_type = given->input_type;
	made->accumulator_type = given->accumulator_type;
	made->output_type = given->output_type;
	made->op = given->op;
	made->is_exclusive = given->mode == SCANRT_EXCLUSIVE;
	if (!status)
		status = srt_user_create(&made->user, given);
	if (!status)
		status = resolve_count(made, given->min_count, given->max_count);
	if (!status)
		status = take_initial(made, given);
	return status ? status : check_first_result(made);
}

int srt_problem_init(struct srt_problem *problem, const struct scanrt_problem *public_problem)
{
	struct scanrt_problem given;
	struct srt_problem made = { 0 };
	bool is_defaulted;
	int status;

	status = srt_versioned_read(&given, sizeof(given), public_problem, FIRST_SIZE, "struct scanrt_problem");
	if (!status)
		status = check_attributes(&given);
	if (status)
		return status;
	is_defaulted = resolve_defaults(&given);
	status = fill(&made, &given, is_defaulted);
	if (status)
		srt_problem_free(&made);
	else
		*problem = made;
	return status;
}

int srt_problem_init_simple(struct srt_problem *problem, int type, int op)
{
	struct scanrt_problem given = { .input_type = type, .op = op };
	struct srt_problem made = { 0 };
	int status;

	if (!srt_op_name(op))
		return srt_fail(SCANRT_ERROR_OPERATOR, "unknown operator %d", op);
	status = fill(&made, &given, resolve_defaults(&given));
	if (!status)
		*problem = made;
	return status;
}

void srt_problem_free(struct srt_problem *problem)
{
	srt_user_release(problem->user);
	problem->user = NULL;
}

/* ---- What it is for others ---- */

static int role_type(const struct srt_problem *problem, enum srt_role role)
{
	return role == SRT_INPUT ? problem->input_type : role == SRT_OUTPUT ? problem->output_type :
		problem->accumulator_type;
}

size_t srt_problem_size(const struct srt_problem *problem, enum srt_role role)
{
	int type = role_type(problem, role);

	return type == SCANRT_TYPE_USER ? problem->user->roles[role].size : srt_type_size(type);
}

size_t srt_problem_alignment(const struct srt_problem *problem, enum srt_role role)
{
	int type = role_type(problem, role);

	return type == SCANRT_TYPE_USER ? problem->user->roles[role].alignment : srt_type_alignment(type);
}

const char *srt_problem_type_name(const struct srt_problem *problem, enum srt_role role)
{
	int type = role_type(problem, role);

	return type == SCANRT_TYPE_USER ? problem->user->roles[role].name : srt_type_name(type);
}

const char *srt_problem_op_name(const struct srt_problem *problem)
{
	return problem->op == SCANRT_OPERATOR_USER ? problem->user->operator_name : srt_op_name(problem->op);
}

bool srt_problem_keeps_in_output(const struct srt_problem *problem)
{
	return problem->user ? problem->user->is_kept_in_output : problem->output_type == problem->accumulator_type;
}

bool srt_problem_is_commutative(const struct srt_problem *problem)
{
	return problem->op == SCANRT_OPERATOR_USER ? problem->user->is_commutative : srt_op_is_commutative(problem->op);
}

/* Names of the caller's are cut, so that what the database keeps is short: the mark tells apart what has one name and
 * another text. */
void srt_problem_format(struct srt_strbuf *out, const struct srt_problem *problem, bool is_exact)
{
	int most = problem->user ? 18 : SRT_USER_NAME_SIZE;
	const char *input = srt_problem_type_name(problem, SRT_INPUT);
	const char *accumulator = srt_problem_type_name(problem, SRT_ACCUMULATOR);
	const char *output = srt_problem_type_name(problem, SRT_OUTPUT);

	srt_strbuf_printf(out, "%.*s %.*s", most, srt_problem_op_name(problem), most, input);
	if (strcmp(accumulator, input) != 0 || strcmp(output, input) != 0)
		srt_strbuf_printf(out, ">%.*s>%.*s", most, accumulator, most, output);
	if (problem->user)
		srt_strbuf_printf(out, " #%s", problem->user->mark);
	if (is_exact && problem->is_exclusive)
		srt_strbuf_append(out, " exclusive");
	if (is_exact && problem->has_initial)
		srt_strbuf_append(out, " initial");
}
