/* SPDX-License-Identifier: MIT */
#include "user.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"
#include "status.h"
#include "user_text.h"
#include "versioned.h"

static const char *const role_names[SRT_ROLES] = { "input", "accumulator", "output" };

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* An identifier, or several joined by "::": what a program's text can be built from without a look at its grammar. */
static bool is_name(const char *name, bool may_be_qualified)
{
	size_t length = strlen(name);
	size_t i = 0;

	if (length == 0 || length >= SRT_USER_NAME_SIZE)
		return false;
	while (i < length) {
		if (!is_letter(name[i]))
			return false;
		while (is_letter(name[i]) || (name[i] >= '0' && name[i] <= '9'))
			i++;
		if (i == length)
			return true;
		if (!may_be_qualified || strncmp(name + i, "::", 2) != 0)
			return false;
		i += 2;
	}
	return false;
}

/* ---- Types ---- */

static int check_size(const struct scanrt_user_type *type, const char *role)
{
	size_t alignment = type->alignment;

	if (type->bytes < 1 || type->bytes > SCANRT_USER_BYTES_MAX)
		return srt_fail(SCANRT_ERROR_TEXT, "the %s type has %zu bytes, and 1 to %d can be scanned", role,
			type->bytes, SCANRT_USER_BYTES_MAX);
	if (alignment < 1 || alignment > 16 || (alignment & (alignment - 1)) != 0)
		return srt_fail(SCANRT_ERROR_TEXT, "the %s type has alignment %zu, which is not 1, 2, 4, 8 or 16", role,
			alignment);
	if (type->bytes % alignment != 0)
		return srt_fail(SCANRT_ERROR_TEXT, "the %s type's %zu bytes are no multiple of its alignment %zu", role,
			type->bytes, alignment);
	return SCANRT_OK;
}

static int read_type(struct scanrt_user_type *type, const struct scanrt_user_type *given, const char *role)
{
	int status;

	if (!given)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the %s type is the caller's, and its description is null",
			role);
	status = srt_versioned_read(type, sizeof(*type), given, sizeof(*type), "struct scanrt_user_type");
	if (!status)
		status = check_size(type, role);
	if (status)
		return status;
	if (type->text && !type->name)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the %s type has a text, and its name is null", role);
	if (type->name && !is_name(type->name, true))
		return srt_fail(SCANRT_ERROR_TEXT, "'%.80s' is no name for the %s type", type->name, role);
	return SCANRT_OK;
}

static void take_role(struct srt_user_role *role, const struct scanrt_user_type *type)
{
	if (type->name)
		snprintf(role->name, sizeof(role->name), "%s", type->name);
	else
		snprintf(role->name, sizeof(role->name), "bytes%zu", type->bytes);
	role->size = type->bytes;
	role->alignment = type->alignment;
}

/* A built-in type's arrays are aligned to their elements. */
static void take_builtin(struct srt_user_role *role, int type)
{
	snprintf(role->name, sizeof(role->name), "%s", srt_type_name(type));
	role->size = srt_type_size(type);
	role->alignment = srt_type_alignment(type);
}

static int read_types(struct srt_user *user, struct srt_user_parts *parts, const struct scanrt_problem *given)
{
	const struct scanrt_user_type *described[] = { given->user_input, given->user_accumulator, given->user_output };
	const int types[] = { given->input_type, given->accumulator_type, given->output_type };
	int status = SCANRT_OK;
	int i;

	for (i = 0; i < SRT_ROLES && !status; i++) {
		parts->is_user[i] = types[i] == SCANRT_TYPE_USER;
		if (parts->is_user[i]) {
			status = read_type(&parts->types[i], described[i], role_names[i]);
			if (!status)
				take_role(&user->roles[i], &parts->types[i]);
		} else {
			take_builtin(&user->roles[i], types[i]);
		}
	}
	return status;
}

/* Two roles have one type if they have one name and text; two texts that define one name would clash in the compiler,
 * with its words. */
static bool is_same_type(const struct srt_user_parts *parts, const struct scanrt_problem *given, int a, int b)
{
	const struct scanrt_user_type *first = &parts->types[a], *second = &parts->types[b];
	const int types[] = { given->input_type, given->accumulator_type, given->output_type };

	if (!parts->is_user[a] || !parts->is_user[b])
		return types[a] == types[b];
	if (!first->text || !second->text)
		return !first->text && !second->text && first->bytes == second->bytes &&
			first->alignment == second->alignment;
	return strcmp(first->name, second->name) == 0;
}

/* Only the caller knows how its types become others. */
static int check_conversions(const struct srt_user *user, const struct srt_user_parts *parts,
	const struct scanrt_problem *given)
{
	bool is_user_load = parts->is_user[SRT_INPUT] || parts->is_user[SRT_ACCUMULATOR];
	bool is_user_store = parts->is_user[SRT_OUTPUT] || parts->is_user[SRT_ACCUMULATOR];

	if (is_user_load && !parts->load && !is_same_type(parts, given, SRT_INPUT, SRT_ACCUMULATOR))
		return srt_fail(SCANRT_ERROR_TYPE,
			"input type %s and accumulator type %s differ, and there is no load_text%s",
			user->roles[SRT_INPUT].name, user->roles[SRT_ACCUMULATOR].name,
			is_same_type(parts, given, SRT_ACCUMULATOR, SRT_OUTPUT) ?
				" (an accumulator type that is not set is the output type)" : "");
	if (is_user_store && !parts->store && !is_same_type(parts, given, SRT_OUTPUT, SRT_ACCUMULATOR))
		return srt_fail(SCANRT_ERROR_TYPE,
			"accumulator type %s and output type %s differ, and there is no store_text",
			user->roles[SRT_ACCUMULATOR].name, user->roles[SRT_OUTPUT].name);
	return SCANRT_OK;
}

/* ---- The operator ---- */

static int read_operator(struct srt_user *user, struct srt_user_parts *parts, const struct scanrt_problem *given)
{
	struct scanrt_user_operator *op = &parts->op;
	int status;

	if (given->op != SCANRT_OPERATOR_USER)
		return SCANRT_OK;
	if (!given->user_operator)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the operator is the caller's, and its description is null");
	status = srt_versioned_read(op, sizeof(*op), given->user_operator, sizeof(*op), "struct scanrt_user_operator");
	if (status)
		return status;
	if (!op->name || !op->text)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the operator's name or text is null");
	if (!is_name(op->name, false))
		return srt_fail(SCANRT_ERROR_TEXT, "'%.80s' is no name for an operator", op->name);
	if (op->flags & ~(SCANRT_COMMUTATIVE | SCANRT_HAS_STATE))
		return srt_fail(SCANRT_ERROR_FLAGS, "unknown operator flags 0x%x",
			(unsigned)(op->flags & ~(SCANRT_COMMUTATIVE | SCANRT_HAS_STATE)));
	if (op->state && !(op->flags & SCANRT_HAS_STATE))
		return srt_fail(SCANRT_ERROR_FLAGS, "operator %s has a state, and SCANRT_HAS_STATE is not set",
			op->name);
	snprintf(user->operator_name, sizeof(user->operator_name), "%s", op->name);
	user->is_commutative = op->flags & SCANRT_COMMUTATIVE;
	user->has_identity = op->identity != NULL;
	user->has_state = op->flags & SCANRT_HAS_STATE;
	user->state = op->state;
	return SCANRT_OK;
}

/* What a description would be for has to be asked for: a forgotten enum value would else scan something different. */
static int check_strays(const struct scanrt_problem *given)
{
	const struct {
		const void *description;
		bool is_wanted;
		const char *name;
	} rows[] = {
		{ given->user_input, given->input_type == SCANRT_TYPE_USER, "user_input" },
		{ given->user_accumulator, given->accumulator_type == SCANRT_TYPE_USER, "user_accumulator" },
		{ given->user_output, given->output_type == SCANRT_TYPE_USER, "user_output" },
		{ given->user_operator, given->op == SCANRT_OPERATOR_USER, "user_operator" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].description && !rows[i].is_wanted)
			return srt_fail(SCANRT_ERROR_TYPE,
				"%s is given, and the problem does not say that it is the caller's", rows[i].name);
	return SCANRT_OK;
}

/* ---- The whole ---- */

static bool is_all_builtin(const struct scanrt_problem *given)
{
	return given->input_type != SCANRT_TYPE_USER && given->accumulator_type != SCANRT_TYPE_USER &&
		given->output_type != SCANRT_TYPE_USER && given->op != SCANRT_OPERATOR_USER && !given->load_text &&
		!given->store_text;
}

/* Where nothing converts a result on its way out, a strategy of several launches keeps accumulators in the output array
 * between them, and needs no room of its own. */
static int read_parts(struct srt_user *user, struct srt_user_parts *parts, const struct scanrt_problem *given)
{
	int status;

	parts->load = given->load_text;
	parts->store = given->store_text;
	user->has_load = parts->load != NULL;
	user->has_store = parts->store != NULL;
	status = read_types(user, parts, given);
	if (!status)
		status = check_conversions(user, parts, given);
	user->is_kept_in_output = !parts->store && is_same_type(parts, given, SRT_OUTPUT, SRT_ACCUMULATOR);
	if (!status)
		status = read_operator(user, parts, given);
	return status;
}

/* The caller's bytes need not outlive the call; those on the device are read by each execution. */
static int keep_initial(struct srt_user *user, const struct scanrt_problem *given)
{
	size_t size = user->roles[SRT_ACCUMULATOR].size;

	if (!given->initial || given->flags & SCANRT_INITIAL_ON_DEVICE)
		return SCANRT_OK;
	user->initial = malloc(size);
	if (!user->initial)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for an initial value of %zu bytes", size);
	memcpy(user->initial, given->initial, size);
	return SCANRT_OK;
}

int srt_user_create(struct srt_user **user, const struct scanrt_problem *given)
{
	struct srt_user_parts parts = { 0 };
	struct srt_user *made;
	int status = check_strays(given);

	*user = NULL;
	if (status || is_all_builtin(given))
		return status;
	made = calloc(1, sizeof(*made));
	if (!made)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a problem");
	atomic_init(&made->references, 1);
	status = read_parts(made, &parts, given);
	if (!status)
		status = keep_initial(made, given);
	if (!status)
		status = srt_user_text_make(made, &parts);
	if (status)
		srt_user_release(made);
	else
		*user = made;
	return status;
}

struct srt_user *srt_user_share(struct srt_user *user)
{
	if (user)
		atomic_fetch_add(&user->references, 1);
	return user;
}

void srt_user_release(struct srt_user *user)
{
	if (!user || atomic_fetch_sub(&user->references, 1) > 1)
		return;
	free(user->initial);
	free(user->text);
	free(user);
}
