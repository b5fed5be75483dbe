/* SPDX-License-Identifier: MIT
 *
 * Plans that try the caller's operator before they are made.
 */
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "operator_check.h"
#include "plan.h"
#include "rtc.h"
#include "status.h"

#define RANDOM_COUNT 512
#define F32_TOLERANCE 1e-4
#define F64_TOLERANCE 1e-9

static bool is_word(int type)
{
	return type == SCANRT_F32 || type == SCANRT_F64;
}

/* ---- Elements ---- */

/* splitmix64: Steele, Lea and Flood, 2014. */
static uint64_t random_word(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Floats between -1 and 1 where elements are known to be made of them, and else bits.  The same in every process: what
 * is refused once is refused again. */
static void fill_random(unsigned char *to, size_t bytes, int word_type)
{
	uint64_t state = 1;
	size_t step = word_type == SCANRT_F32 ? sizeof(float) : sizeof(double);
	size_t at;

	for (at = 0; at < bytes; at += step) {
		uint64_t random = random_word(&state);
		double wide = (double)(random >> 11) * 0x1p-52 - 1;
		float narrow = (float)wide;
		const void *word = word_type == SCANRT_F64 ? (const void *)&wide
			: word_type == SCANRT_F32 ? (const void *)&narrow : (const void *)&random;

		memcpy(to + at, word, bytes - at < step ? bytes - at : step);
	}
}

static int make_elements(struct srt_workspace *elements, const struct scanrt_plan *plan, int word_type)
{
	const struct srt_problem *problem = &plan->problem;
	size_t bytes = RANDOM_COUNT * srt_problem_size(problem, SRT_INPUT);
	unsigned char *host = malloc(bytes);
	int status;

	if (!host)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for %d elements", RANDOM_COUNT);
	fill_random(host, bytes, problem->input_type == SCANRT_TYPE_USER ? word_type : problem->input_type);
	status = srt_workspace_create(elements, plan->context->driver, bytes);
	if (!status)
		status = srt_workspace_write(elements, plan->context->driver, host, bytes);
	free(host);
	return status;
}

/* ---- The check ---- */

static int build_image(struct srt_image *image, const struct scanrt_plan *plan, bool wants_ptx)
{
	int capability = plan->context->device.capability;
	const struct srt_rtc *rtc = NULL;
	int status = srt_rtc_open(&rtc);
	bool is_ptx;

	if (status)
		return status;
	is_ptx = wants_ptx || !srt_rtc_has_arch(rtc, capability);
	status = srt_image_build_tool(image, rtc, &plan->problem, "user_try.cu", capability, is_ptx, NULL);
	if (!status && is_ptx)
		status = srt_image_link(image, plan->context->driver, NULL);
	return status;
}

/* As for any kernel: a device that refuses machine code is given PTX from then on. */
static int check(struct srt_check_report *report, const struct scanrt_plan *plan,
	const struct scanrt_plan_options *options, const struct srt_comparison *comparison, uint64_t in, uint64_t count)
{
	struct scanrt_context *context = plan->context;
	struct srt_image image = { 0 };
	bool wants_ptx = options->flags & SCANRT_CODEGEN_PTX || context->wants_ptx;
	bool is_refused;
	int status;

	do {
		status = build_image(&image, plan, wants_ptx);
		if (!status)
			status = srt_operator_check(report, context->driver, &plan->problem, &image,
				plan->problem.user->state, in, count, comparison);
		srt_image_free(&image);
		is_refused = status && !wants_ptx && srt_is_refusal_of_code();
		wants_ptx = true;
	} while (is_refused);
	return status;
}

static int read_words(struct srt_words *words, struct srt_comparison *comparison, const struct srt_problem *problem,
	const struct scanrt_plan_options *options)
{
	bool is_user = problem->accumulator_type == SCANRT_TYPE_USER;
	double tolerance = options->check_tolerance;

	if (options->check_word_type != SCANRT_TYPE_DEFAULT && !is_word(options->check_word_type))
		return srt_fail(SCANRT_ERROR_TYPE, "check_word_type is %d: SCANRT_F32 and SCANRT_F64 are compared as "
			"numbers", options->check_word_type);
	if (!(tolerance >= 0 && tolerance < 1))
		return srt_fail(SCANRT_ERROR_FLAGS, "check_tolerance is %g, which is not from 0 to 1", tolerance);
	words->bytes = srt_problem_size(problem, SRT_ACCUMULATOR);
	words->type = is_user ? options->check_word_type
		: is_word(problem->accumulator_type) ? problem->accumulator_type : SCANRT_TYPE_DEFAULT;
	if (tolerance == 0)
		tolerance = words->type == SCANRT_F32 ? F32_TOLERANCE : words->type == SCANRT_F64 ? F64_TOLERANCE : 0;
	*comparison = srt_comparison_of_words(words, tolerance);
	return SCANRT_OK;
}

/* The account shows an example's values below each other; the sentence has them behind each other. */
static int refuse(const char *example)
{
	struct srt_strbuf sentence = { 0 };
	const char *at;
	int status;

	for (at = example; *at; at++)
		if (*at == '\n')
			srt_strbuf_append(&sentence, ";");
		else if (*at != ' ' || at[1] != ' ')
			srt_strbuf_append_bytes(&sentence, at, 1);
	status = srt_fail(SCANRT_ERROR_OPERATOR, "%s", srt_strbuf_text(&sentence));
	srt_strbuf_free(&sentence);
	return status;
}

static int conclude(struct scanrt_plan *plan, const struct srt_check_report *report)
{
	const char *name = srt_problem_op_name(&plan->problem);

	if (!report->is_good) {
		srt_account_add(&plan->account, "%s", srt_strbuf_text(&report->text));
		return refuse(srt_strbuf_text(&report->text));
	}
	if (report->deviation > 0)
		srt_account_add(&plan->account,
			"operator %s was tried on %llu triples: it is associative to within %.1e", name,
			(unsigned long long)report->triples, report->deviation);
	else
		srt_account_add(&plan->account, "operator %s was tried on %llu triples: it is exact", name,
			(unsigned long long)report->triples);
	return SCANRT_OK;
}

/* Of a built-in operator all that is known. */
int srt_plan_check_operator(struct scanrt_plan *plan, const struct scanrt_plan_options *options)
{
	struct srt_check_report report = { .is_good = true };
	struct srt_workspace random = { 0 };
	struct srt_comparison comparison;
	struct srt_words words;
	int status;

	if (plan->problem.op != SCANRT_OPERATOR_USER)
		return SCANRT_OK;
	status = read_words(&words, &comparison, &plan->problem, options);
	if (!status && !options->check_elements)
		status = make_elements(&random, plan, words.type);
	if (!status && options->check_elements)
		status = check(&report, plan, options, &comparison, (uintptr_t)options->check_elements,
			options->check_count);
	else if (!status)
		status = check(&report, plan, options, &comparison, random.address, RANDOM_COUNT);
	if (!status)
		status = conclude(plan, &report);
	srt_workspace_destroy(&random, plan->context->driver);
	srt_strbuf_free(&report.text);
	return status;
}
