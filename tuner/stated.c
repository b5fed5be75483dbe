/* SPDX-License-Identifier: MIT
 *
 * The problem of --problem among the targets of a command line.
 */
#include "stated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	options->targets[0] = (struct tune_target){ 0, 0 };
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

bool tune_target_of(struct tune_target *target, const char *name)
{
	const char *space = strchr(name, ' ');
	char op[32];

	if (space == NULL || (size_t)(space - name) >= sizeof op)
		return false;
	snprintf(op, sizeof op, "%.*s", (int)(space - name), name);
	return srt_op_parse(&target->op, op) == SCANRT_OK && srt_type_parse(&target->type, space + 1) == SCANRT_OK;
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
