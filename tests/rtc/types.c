/* SPDX-License-Identifier: MIT
 *
 * Every input type with every output type, accumulators taking turns: all conversions compile without a warning.
 * PTX of the simplest strategy is enough, since conversions are in front of and behind all strategies alike.  Without
 * SCANRT_LONG=1 each type meets a third of the others on either side.
 */
#include "batch.h"
#include "status.h"
#include "tests/tap.h"

int main(void)
{
	const struct srt_rtc *rtc = batch_compiler();
	struct batch batch = { 0 };
	struct scanrt_problem given = SCANRT_PROBLEM_INIT;
	struct srt_problem problem;
	struct srt_variant variant;
	int input;
	int output;

	tap_plan(0);
	srt_variant_init(&variant, SRT_BLOCK);
	for (input = 0; srt_type_at(input); input++)
		for (output = 0; srt_type_at(output); output++) {
			if (!batch_is_long() && (input + output) % 3)
				continue;
			given.op = SCANRT_SUM;
			given.input_type = srt_type_at(input);
			given.output_type = srt_type_at(output);
			/* Steps of 5 in 12 types: each accumulator meets each input, and each output, once. */
			given.accumulator_type = srt_type_at((input + 5 * output) % 12);
			if (srt_problem_init(&problem, &given) != SCANRT_OK)
				tap_bail_out("%s", srt_error_last()->text);
			batch_add(&batch, &problem, &variant, "compute_80");
		}
	batch_run(&batch, rtc);
	batch_report(&batch);
	batch_free(&batch);
	return tap_done();
}
