/* SPDX-License-Identifier: MIT
 *
 * The problem of --problem among the targets of a command line.
 */
#include "stated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heuristic.h"
#include "status.h"

static bool has_mode(const struct tune_described *described, int mode)
{
	bool has = false;

	for (size_t i = 0; i < described->mode_count; i++)
		has |= described->modes[i] == mode;
	return has;
}

static bool take_modes(struct tune_options *options, bool has_modes)
{
	const struct tune_described *described = options->described;

	for (size_t i = 0; has_modes && i < options->mode_count; i++)
		if (!has_mode(described, options->modes[i])) {
			fprintf(stderr, "scantune: %s: the problem has no %s scan\n", described->name,
				options->modes[i] == SCANRT_EXCLUSIVE ? "exclusive" : "inclusive");
			return false;
		}
	if (!has_modes) {
		memcpy(options->modes, described->modes, sizeof options->modes);
		options->mode_count = described->mode_count;
	}
	return true;
}

bool tune_take_problem(struct tune_options *options, const char *path, const char *elements, bool has_modes)
{
	int status;

	options->described = calloc(1, sizeof *options->described);
	if (options->described == NULL)
		status = srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a problem");
	else
		status = tune_described_open(options->described, path);
	if (!status && elements)
		status = tune_described_take_elements(options->described, elements);
	if (status) {
		fprintf(stderr, "scantune: %s\n", srt_error_last()->text);
		tune_drop_problem(options);
		return false;
	}
	options->targets[0] = (struct tune_target){ 0 };
	options->target_count = 1;
	if (take_modes(options, has_modes))
		return true;
	tune_drop_problem(options);
	return false;
}

void tune_drop_problem(struct tune_options *options)
{
	if (options->described)
		tune_described_free(options->described);
	free(options->described);
	options->described = NULL;
}

/* The name of what init_simple makes of them: half floats are summed in floats, "sum f16>f32>f16". */
static bool is_name_of(const struct tune_target *target, const char *name, size_t length)
{
	struct srt_strbuf own = {0};
	struct srt_problem problem;
	bool is_own = srt_problem_init_simple(&problem, target->type, target->op) == SCANRT_OK;

	if (is_own)
		srt_problem_format(&own, &problem, false);
	is_own = is_own && own.length == length && memcmp(own.text, name, length) == 0;
	srt_strbuf_free(&own);
	return is_own;
}

bool tune_target_of(struct tune_target *target, const char *name)
{
	size_t length = strlen(name), tail = sizeof SRT_REPRODUCIBLE_SUFFIX - 1;
	char op[32], type[32];

	memset(target, 0, sizeof *target);
	target->is_reproducible = length > tail && strcmp(name + length - tail, SRT_REPRODUCIBLE_SUFFIX) == 0;
	length -= target->is_reproducible ? tail : 0;
	return sscanf(name, "%31s %31[^> ]", op, type) == 2 && srt_op_parse(&target->op, op) == SCANRT_OK &&
	       srt_type_parse(&target->type, type) == SCANRT_OK && is_name_of(target, name, length);
}

int tune_problem_of(struct srt_problem *problem, const struct tune_options *options, const struct tune_target *target,
	int mode)
{
	int status = SCANRT_OK;

	if (target->type == 0)
		*problem = options->described->problem;
	else
		status = srt_problem_init_simple(problem, target->type, target->op);
	if (!status)
		problem->is_exclusive = mode == SCANRT_EXCLUSIVE;
	return status;
}
