/* SPDX-License-Identifier: MIT
 *
 * scantune compare --vary: one knob through its values and all else left alone, the scan circuits for one.
 */
#include <stdio.h>

#include "compare.h"
#include "status.h"
#include "strategy.h"

#define VALUES_MAX 16 /* of a knob; one with more steps through them so that it has about as many */

static void name_row(struct tune_compared *row, const struct srt_knob *knob, int value)
{
	const char *strategy = srt_strategy_name(srt_strategy_at(0));
	struct srt_variant variant;

	if (srt_variant_parse(&variant, row->variant) == SCANRT_OK)
		strategy = srt_strategy_name(variant.strategy);
	if (knob->values)
		snprintf(row->name, sizeof row->name, "%s, %s", strategy, knob->values[value - knob->least]);
	else
		snprintf(row->name, sizeof row->name, "%s, %s=%d", strategy, knob->name, value);
}

static void vary(struct tune_compare *compare, const struct srt_variant *base, const struct srt_knob *knob)
{
	int steps = (knob->most - knob->least) / knob->step, stride = (steps / VALUES_MAX + 1) * knob->step;

	for (int value = knob->least; value <= knob->most; value += stride) {
		struct srt_variant variant = *base;
		struct tune_compared *row;

		srt_knob_set(knob, &variant, value);
		row = tune_compare_add(compare, TUNE_ROW_VARIED, "varied", &variant);
		if (row)
			name_row(row, knob, value);
	}
}

static int refuse(const char *name)
{
	struct srt_strbuf known = {0};
	int status;

	for (const struct srt_knob *knob = srt_knobs; knob->name; knob++)
		srt_strbuf_printf(&known, "%s%s", known.length ? ", " : "", knob->name);
	status = srt_fail(SCANRT_ERROR_VARIANT, "unknown knob '%s': there are %s", name, srt_strbuf_text(&known));
	srt_strbuf_free(&known);
	return status;
}

int tune_compare_vary(struct tune_compare *compare)
{
	const struct srt_knob *knob = srt_knob_find(compare->options->vary);
	struct srt_variant variant;

	if (knob == NULL)
		return refuse(compare->options->vary);
	for (int i = 0; srt_strategy_at(i); i++) {
		srt_variant_init(&variant, (enum srt_strategy)srt_strategy_at(i));
		/* A strategy without the knob has 0 there. */
		if (srt_knob_get(knob, &variant) == 0)
			continue;
		tune_compare_best(&variant, compare, srt_strategy_at(i));
		vary(compare, &variant, knob);
	}
	/* Values that did not fit are no failure of the command. */
	srt_error_clear();
	return SCANRT_OK;
}
