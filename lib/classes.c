/* SPDX-License-Identifier: MIT
 *
 * How a plan's size classes come about.  A rule answers for ranges of counts, and each range needs a kernel that can be
 * had: found in a database, or compiled.  Where it cannot, the rules that follow are asked for that range only, so that
 * one missing image does not cost the other classes their tuning.
 */
#include "classes.h"

#include <inttypes.h>
#include <string.h>

/* Two classes often share a variant; its module is then loaded once.  A plan has few, so that a search is enough. */
static struct srt_fetched *find_fetched(struct scanrt_plan *plan, const struct srt_variant *variant)
{
	size_t i;

	for (i = 0; i < plan->fetched_count; i++)
		if (memcmp(&plan->fetched[i].kernel.variant, variant, sizeof(*variant)) == 0)
			return &plan->fetched[i];
	return NULL;
}

/* The array of kernels never moves, so that classes may point into it. */
static int fetch(struct srt_fetched **fetched, struct srt_builder *builder, const struct srt_variant *variant)
{
	struct scanrt_plan *plan = builder->plan;
	int status;

	*fetched = find_fetched(plan, variant);
	if (*fetched)
		return SCANRT_OK;
	if (plan->fetched_count == SRT_PLAN_CLASSES)
		return srt_fail(SCANRT_ERROR_UNSUPPORTED, "a plan has at most %d variants", SRT_PLAN_CLASSES);
	status = srt_fetch(&plan->fetched[plan->fetched_count], plan->context, &builder->reading, &builder->ahead,
		&plan->problem, variant, builder->wants_ptx);
	if (!status)
		*fetched = &plan->fetched[plan->fetched_count++];
	return status;
}

/* Classes are added from the lowest count up: fill() goes through the counts in this order only. */
static int add_class(struct srt_builder *builder, const struct srt_class *class, struct srt_fetched *fetched)
{
	struct scanrt_plan *plan = builder->plan;
	struct srt_plan_class *added = &plan->classes[plan->class_count];

	if (plan->class_count == SRT_PLAN_CLASSES)
		return srt_fail(SCANRT_ERROR_UNSUPPORTED, "a plan has at most %d size classes", SRT_PLAN_CLASSES);
	added->low_count = class->low_count;
	added->high_count = class->high_count;
	added->fetched = fetched;
	added->origin = class->origin;
	added->choice = class->choice;
	added->file = class->file;
	plan->class_count++;
	return SCANRT_OK;
}

/* What no other variant can cure, and a pin that cannot be had, end the plan. */
static bool is_final(int status, int origin)
{
	switch (status) {
	case SCANRT_ERROR_OUT_OF_MEMORY:
	case SCANRT_ERROR_DEVICE_MEMORY:
	case SCANRT_ERROR_DEVICE_LOST:
	case SCANRT_ERROR_CONTEXT:
	case SCANRT_ERROR_CAPTURE:
	case SCANRT_ERROR_TEXT:
		return true;
	default:
		return origin == SCANRT_ORIGIN_FORCED;
	}
}

static int fill(struct srt_builder *builder, uint64_t low, uint64_t high, int rule);

static void tell_refusal(struct srt_builder *builder, const struct srt_class *class)
{
	struct srt_strbuf text = { 0 };

	srt_variant_format(&text, &class->variant);
	srt_account_add(&builder->plan->account, "counts %" PRIu64 " to %" PRIu64 ": without %s: %s", class->low_count,
		class->high_count, srt_strbuf_text(&text), builder->error.text);
	srt_strbuf_free(&text);
}

/* The part of one class that lies in what is asked for; where its kernel cannot be had, by the rules that follow. */
static int serve(struct srt_builder *builder, const struct srt_class *class, int next_rule)
{
	struct srt_fetched *fetched = NULL;
	int status = fetch(&fetched, builder, &class->variant);

	if (!status)
		return add_class(builder, class, fetched);
	/* The refusal of one answer is no failure yet; it becomes one only if nothing else is found for these
	 * counts. */
	if (is_final(status, class->origin))
		return status;
	srt_error_save(&builder->error);
	tell_refusal(builder, class);
	return fill(builder, class->low_count, class->high_count, next_rule);
}

/* Kernels of the caller's types are seldom in a database, and the same rule's answers are all wanted in the end.
 * Whether the device takes machine code at all is seen with the first of a context, before the rest is compiled. */
static void fetch_ahead(struct srt_builder *builder, const struct srt_answer *answer, size_t from, uint64_t high)
{
	struct scanrt_plan *plan = builder->plan;
	struct scanrt_context *context = plan->context;
	bool is_sure = context->takes_code || context->wants_ptx || builder->wants_ptx;

	if (!plan->problem.user || !is_sure || !srt_ahead_is_useful())
		return;
	if (from + 1 >= answer->count || answer->classes[from + 1].low_count > high)
		return;
	for (; from < answer->count && answer->classes[from].low_count <= high; from++)
		if (!find_fetched(plan, &answer->classes[from].variant) &&
				!srt_ahead_knows(&builder->ahead, &answer->classes[from].variant))
			srt_fetch_ahead(&builder->ahead, context, &builder->reading, &plan->problem,
				&answer->classes[from].variant, builder->wants_ptx);
}

/* Fills low to high from `rule` on.  What no rule can fill stays as a class without a kernel. */
static int fill(struct srt_builder *builder, uint64_t low, uint64_t high, int rule)
{
	struct srt_answer answer;
	struct srt_class gap = { .low_count = low, .high_count = high, .file = "" };
	int status = srt_resolve(&answer, &builder->request, &rule);
	size_t i;

	if (!status && answer.count == 0)
		return add_class(builder, &gap, NULL);
	for (i = 0; i < answer.count && !status && low <= high; i++) {
		struct srt_class *class = &answer.classes[i];

		if (class->high_count < low || class->low_count > high)
			continue;
		/* What lies before this class, its own rule has no answer for. */
		if (class->low_count > low)
			status = fill(builder, low, class->low_count - 1, rule);
		else
			class->low_count = low;
		if (class->high_count > high)
			class->high_count = high;
		low = class->high_count + 1;
		fetch_ahead(builder, &answer, i, high);
		if (!status)
			status = serve(builder, class, rule);
	}
	return status || low > high ? status : fill(builder, low, high, rule);
}

static bool can_serve(const struct srt_plan_class *class, uint64_t count)
{
	return class->fetched && count <= srt_variant_max_count(&class->fetched->kernel.variant);
}

/* Beyond its class the time of `totals` grows with the square of the count. */
static bool serves_well(const struct srt_plan_class *class, uint64_t count)
{
	return can_serve(class, count) &&
		(count <= class->high_count || class->fetched->kernel.variant.strategy != SRT_TOTALS);
}

typedef bool (*class_test)(const struct srt_plan_class *class, uint64_t count);

/* The next class above the gap that passes, else the next below; NULL: there is none. */
static const struct srt_plan_class *find_neighbour(
	const struct scanrt_plan *plan, const struct srt_plan_class *gap, class_test passes)
{
	const struct srt_plan_class *class;

	for (class = gap + 1; class < plan->classes + plan->class_count; class++)
		if (passes(class, gap->high_count))
			return class;
	for (class = gap; class > plan->classes; class--)
		if (passes(class - 1, gap->high_count))
			return class - 1;
	return NULL;
}

/* Any kernel scans any count that it can reach: better a slower scan than none. */
static bool fill_gap(struct scanrt_plan *plan, struct srt_plan_class *gap)
{
	const struct srt_plan_class *class = find_neighbour(plan, gap, serves_well);

	if (!class)
		class = find_neighbour(plan, gap, can_serve);
	if (!class)
		return false;
	gap->fetched = class->fetched;
	gap->origin = class->origin;
	gap->choice = class->choice;
	gap->file = class->file;
	return true;
}

/* The error that is told is the latest, that of the last rule: it is about the default, which always ought to work. */
int srt_builder_fill(struct srt_builder *builder)
{
	struct scanrt_plan *plan = builder->plan;
	int status = fill(builder, plan->problem.min_count, plan->problem.max_count, 0);
	size_t i;

	srt_ahead_end(&builder->ahead);
	for (i = 0; !status && i < plan->class_count; i++)
		if (!plan->classes[i].fetched && !fill_gap(plan, &plan->classes[i])) {
			srt_error_restore(&builder->error);
			status = builder->error.status;
		}
	return status;
}
