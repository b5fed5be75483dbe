/* SPDX-License-Identifier: MIT
 *
 * From the statements of a problem file to the problem: the library's own checks are the ones that count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "status.h"

/* ---- The problem ---- */

/* A role's type by its name: one of the file's, or a built-in one. */
static int take_role(int *type, const struct scanrt_user_type **user, struct tune_draft *draft, int role)
{
	char *rest = draft->roles[role].rest;
	int line = draft->roles[role].line;
	const char *name = line ? tune_next_word(&rest) : NULL;

	if (!line)
		return SCANRT_OK;
	if (!name || tune_next_word(&rest))
		return tune_draft_fail(draft, line, "one name of a type is wanted");
	for (size_t i = 0; i < draft->made->type_count; i++)
		if (strcmp(draft->made->types[i].name, name) == 0) {
			*type = SCANRT_TYPE_USER;
			*user = &draft->made->types[i];
			return SCANRT_OK;
		}
	*type = tune_any_type(name);
	return *type ? SCANRT_OK : tune_draft_fail(draft, line, "there is no type %.60s", name);
}

static int find_op(const char *name)
{
	for (int op = 1; op < SCANRT_OPERATOR_USER; op++)
		if (srt_op_name(op) && strcmp(srt_op_name(op), name) == 0)
			return op;
	return 0;
}

/* Numbers of the accumulator's size; there has to be an operator's text for what is said of one. */
static int take_values(struct srt_strbuf *bytes, const struct tune_draft *draft, const struct tune_words *words,
	size_t wanted, const char *what)
{
	const char *wrong = tune_values_parse(bytes, words->rest, wanted);

	return wrong ? tune_draft_fail(draft, words->line, "%s %s", what, wrong) : SCANRT_OK;
}

/* An opaque type needs no name for the library, which is then told none: names tell problems apart. */
static size_t accumulator_size(const struct scanrt_problem *given)
{
	int type = given->accumulator_type ? given->accumulator_type : given->output_type ? given->output_type
		: given->input_type;
	const struct scanrt_user_type *user = given->accumulator_type ? given->user_accumulator
		: given->output_type ? given->user_output : given->user_input;

	/* The library's own rule for halves; see struct scanrt_problem. */
	if (!given->accumulator_type && (type == SCANRT_F16 || type == SCANRT_BF16))
		return 4;
	return type == SCANRT_TYPE_USER ? user->bytes : srt_type_size(type);
}

static int take_user_op(struct tune_draft *draft, size_t size)
{
	static const struct scanrt_user_operator initial = SCANRT_USER_OPERATOR_INIT;
	struct scanrt_user_operator *op = &draft->made->op;
	int status = SCANRT_OK;

	*op = initial;
	op->name = draft->op_name;
	op->text = draft->op_text;
	op->flags = (draft->commutative.line ? SCANRT_COMMUTATIVE : 0) | (draft->state.line ? SCANRT_HAS_STATE : 0);
	if (draft->identity.line)
		status = take_values(&draft->made->identity, draft, &draft->identity, size, "the identity");
	op->identity = draft->identity.line ? draft->made->identity.text : NULL;
	return status;
}

static int check_op(const struct tune_draft *draft)
{
	const struct tune_words *strays[] = { &draft->identity, &draft->commutative, &draft->state };

	if (!draft->op.line)
		return tune_draft_fail(draft, draft->line, "there is no statement \"operator\"");
	if (!draft->roles[SRT_INPUT].line)
		return tune_draft_fail(draft, draft->line, "there is no statement \"input\"");
	if (draft->commutative.line && tune_next_word(&(char *){ draft->commutative.rest }))
		return tune_draft_fail(draft, draft->commutative.line, "nothing stands behind commutative");
	for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++)
		if (strays[i]->line && !draft->op_text)
			return tune_draft_fail(draft, strays[i]->line, "this is for operators that have a text");
	if (!draft->op_text && !find_op(draft->op_name))
		return tune_draft_fail(draft, draft->op.line,
			"there is no built-in operator %.60s, and no text for one", draft->op_name);
	return SCANRT_OK;
}

/* What the library finds wrong is about the file as a whole. */
static int fail_whole(const struct tune_draft *draft, int status)
{
	struct srt_error error;

	srt_error_save(&error);
	return srt_fail(status, "%s: %s", draft->name, error.text);
}

static int make_problem(struct tune_draft *draft)
{
	static const struct scanrt_problem nothing = SCANRT_PROBLEM_INIT;
	struct scanrt_problem *given = &draft->made->given;
	int *types[] = { &given->input_type, &given->accumulator_type, &given->output_type };
	const struct scanrt_user_type **users[] = { &given->user_input, &given->user_accumulator, &given->user_output };
	int status = check_op(draft);

	*given = nothing;
	for (int role = 0; role < SRT_ROLES && !status; role++)
		status = take_role(types[role], users[role], draft, role);
	given->op = draft->op_text ? SCANRT_OPERATOR_USER : status ? 0 : find_op(draft->op_name);
	if (!status && draft->op_text) {
		status = take_user_op(draft, accumulator_size(given));
		given->user_operator = &draft->made->op;
	}
	if (!status && draft->initial.line)
		status = take_values(&draft->made->initial, draft, &draft->initial, accumulator_size(given),
			"the initial value");
	if (status)
		return status;
	given->initial = draft->initial.line ? draft->made->initial.text : NULL;
	given->load_text = draft->load_text;
	given->store_text = draft->store_text;
	given->mode = draft->made->mode_count ? draft->made->modes[0] : SCANRT_INCLUSIVE;
	status = srt_problem_init(&draft->made->problem, given);
	return status ? fail_whole(draft, status) : SCANRT_OK;
}

/* ---- What else there is ---- */

static int make_layout(struct tune_draft *draft, int role)
{
	const struct srt_problem *problem = &draft->made->problem;
	const char *name = srt_problem_type_name(problem, role);
	size_t size = srt_problem_size(problem, role);
	struct tune_layout *layout = &draft->made->layouts[role];
	int types[] = { problem->input_type, problem->accumulator_type, problem->output_type };

	tune_layout_default(layout, types[role], size, srt_problem_alignment(problem, role));
	for (size_t i = 0; i < draft->layout_count; i++) {
		const struct tune_words *words = &draft->layouts[i].words;
		const char *wrong;
		char *copy;

		if (strcmp(draft->layouts[i].type, name) != 0)
			continue;
		copy = strdup(words->rest); /* a type may have several roles */
		wrong = copy ? tune_layout_parse(layout, copy) : "is too much for the memory";
		free(copy);
		if (wrong)
			return tune_draft_fail(draft, words->line, "the layout %s", wrong);
		if (layout->bytes != size)
			return tune_draft_fail(draft, words->line, "the layout has %zu bytes, and type %s has %zu",
				layout->bytes, name, size);
	}
	return SCANRT_OK;
}

/* A layout of a type that plays no role would be a slip of the pen without effect. */
static int check_layouts(const struct tune_draft *draft)
{
	const struct srt_problem *problem = &draft->made->problem;

	for (size_t i = 0; i < draft->layout_count; i++) {
		bool is_used = false;

		for (size_t k = 0; k < i; k++)
			if (strcmp(draft->layouts[k].type, draft->layouts[i].type) == 0)
				return tune_draft_fail(draft, draft->layouts[i].words.line,
					"there is a layout of %.60s already", draft->layouts[i].type);
		for (int role = 0; role < SRT_ROLES; role++)
			is_used |= strcmp(draft->layouts[i].type, srt_problem_type_name(problem, role)) == 0;
		if (!is_used)
			return tune_draft_fail(draft, draft->layouts[i].words.line, "no element is of type %.60s",
				draft->layouts[i].type);
	}
	return SCANRT_OK;
}

/* Unless it is said, all modes that have a first result.  Built-in operators have an identity. */
static int make_modes(struct tune_draft *draft)
{
	struct tune_described *made = draft->made;
	bool has_first = made->problem.has_initial || made->problem.op != SCANRT_OPERATOR_USER ||
			 made->problem.user->has_identity;

	for (size_t i = 0; i < made->mode_count; i++)
		if (made->modes[i] == SCANRT_EXCLUSIVE && !has_first)
			return tune_draft_fail(draft, draft->mode.line,
				"an exclusive scan begins with the identity or an initial value: there is no identity");
	if (made->has_modes)
		return SCANRT_OK;
	made->modes[made->mode_count++] = SCANRT_INCLUSIVE;
	if (has_first)
		made->modes[made->mode_count++] = SCANRT_EXCLUSIVE;
	return SCANRT_OK;
}

/* A float is held to about half of its digits: nobody knows how the operator lets errors grow. */
static double default_tolerance(const struct tune_described *made)
{
	double least = 1e-9;

	for (int role = 0; role < SRT_ROLES; role++)
		for (size_t i = 0; i < made->layouts[role].count; i++) {
			int type = made->layouts[role].fields[i].type;
			double tolerance = type == SCANRT_F32 ? 1e-4 : type == SCANRT_F16 ? 1e-2
				: type == SCANRT_BF16 ? 5e-2 : least;

			least = tolerance > least ? tolerance : least;
		}
	return least;
}

static int take_state(struct tune_draft *draft)
{
	struct srt_strbuf bytes = {0};
	int status;

	if (!draft->state.line)
		return SCANRT_OK;
	status = take_values(&bytes, draft, &draft->state, 0, "the state");
	draft->made->state = (unsigned char *)bytes.text;
	draft->made->state_bytes = bytes.length;
	return status;
}

int tune_draft_finish(struct tune_draft *draft)
{
	struct tune_described *made = draft->made;
	int status = make_problem(draft);

	for (int role = 0; role < SRT_ROLES && !status; role++)
		status = make_layout(draft, role);
	if (!status)
		status = check_layouts(draft);
	if (!status)
		status = take_state(draft);
	if (!status)
		status = make_modes(draft);
	if (status)
		return status;
	if (made->tolerance == 0)
		made->tolerance = default_tolerance(made);
	return SCANRT_OK;
}

/* ---- For others ---- */

struct srt_problem tune_described_in_mode(const struct tune_described *described, int mode)
{
	struct srt_problem problem = described->problem;

	problem.is_exclusive = mode == SCANRT_EXCLUSIVE;
	return problem;
}

void tune_described_locate(char *text, size_t size, const struct tune_described *described, const char *message)
{
	for (size_t i = 0; i < described->block_count; i++) {
		const struct tune_block *block = &described->blocks[i];
		const char *at = strstr(message, block->name);
		int line;

		if (at == NULL || sscanf(at + strlen(block->name), "(%d)", &line) != 1)
			continue;
		snprintf(text, size, "%s:%d: %s", described->name, block->line + line - 1, message);
		return;
	}
	snprintf(text, size, "%s: %s", described->name, message);
}
