/* SPDX-License-Identifier: MIT
 *
 * What a plan tells about itself.  Texts that do not fit are cut rather than refused: they are for people.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plan.h"
#include "status.h"

/* Indexed by enum scanrt_origin, which begins at 1. */
static const char *origin_name(int origin)
{
	static const char *const names[] = { "", "forced", "tuned", "similar", "default" };

	return names[origin];
}

/* The caller's size stays, and what a newer caller has beyond our structure is left alone. */
static void fill(struct scanrt_plan_description *description, const struct srt_plan_class *class,
	const char *variant)
{
	const struct srt_kernel *kernel = &class->fetched->kernel;

	description->origin = class->origin;
	description->is_compiled = class->fetched->is_compiled;
	description->choice = class->choice;
	description->registers = kernel->registers;
	description->reserved = 0;
	description->shared_bytes = (uint64_t)kernel->static_shared + kernel->dynamic_shared;
	description->low_count = class->low_count;
	description->high_count = class->high_count;
	snprintf(description->variant, sizeof(description->variant), "%s", variant);
	snprintf(description->database, sizeof(description->database), "%s", class->file);
	snprintf(description->image_key, sizeof(description->image_key), "%s", class->fetched->image_key);
}

static void tell(struct srt_strbuf *out, const struct scanrt_plan *plan, const struct srt_plan_class *class,
	const char *variant)
{
	srt_problem_format(out, &plan->problem, true);
	srt_strbuf_printf(out, ", counts %" PRIu64 " to %" PRIu64 ": %s, %s", class->low_count, class->high_count,
		variant, origin_name(class->origin));
	if (class->file[0])
		srt_strbuf_printf(out, " (choice %" PRId64 " of %s)", class->choice, class->file);
	srt_strbuf_printf(out, ", image %s %s\n", class->fetched->image_key,
		class->fetched->is_compiled ? "compiled for this plan" : "from the database");
	srt_strbuf_append(out, srt_strbuf_text(&plan->account.text));
}

/* The size is the caller's promise of how much we may write: less than we know would be written beyond its end. */
static int check(const struct scanrt_plan *plan, uint64_t count, const struct scanrt_plan_description *description)
{
	if (!plan || !description)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the plan or the description is null");
	if (description->size < sizeof(*description))
		return srt_fail(SCANRT_ERROR_STRUCT_SIZE,
			"struct scanrt_plan_description has size %zu, and %zu is the least", description->size,
			sizeof(*description));
	return srt_plan_check_count(plan, count);
}

int scanrt_plan_describe(const struct scanrt_plan *plan, uint64_t count, struct scanrt_plan_description *description,
	char *text, size_t text_size)
{
	const struct srt_plan_class *class;
	struct srt_strbuf variant = { 0 };
	struct srt_strbuf account = { 0 };
	int status;

	srt_error_clear();
	status = check(plan, count, description);
	if (status)
		return status;
	class = srt_plan_class_of(plan, count);
	srt_variant_format(&variant, &class->fetched->kernel.variant);
	tell(&account, plan, class, srt_strbuf_text(&variant));
	/* Either all of the description is filled or nothing: half of one would be believed. */
	if (variant.failed || account.failed) {
		status = srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a description");
	} else {
		fill(description, class, srt_strbuf_text(&variant));
		if (text && text_size > 0)
			snprintf(text, text_size, "%s", srt_strbuf_text(&account));
	}
	srt_strbuf_free(&variant);
	srt_strbuf_free(&account);
	return status;
}
