/* SPDX-License-Identifier: MIT
 *
 * Who takes part in a search: what the library would do without a database, what an earlier run chose, what won for
 * another type of the same size, and points of the space.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixed_order.h"
#include "heuristic.h"
#include "kept.h"
#include "record.h"
#include "search.h"
#include "space.h"
#include "status.h"

bool tune_candidate_serves(const struct tune_candidate *candidate, const struct tune_class *klass)
{
	return klass->timing.count <= srt_variant_max_count(&candidate->build.variant);
}

struct tune_candidate *tune_candidate_add(struct tune_search *search, const struct srt_variant *variant)
{
	struct tune_candidate *candidate;
	struct srt_strbuf text = {0};

	for (size_t i = 0; i < search->candidate_count; i++)
		if (tune_variant_is_equal(&search->candidates[i].build.variant, variant))
			return &search->candidates[i];
	if (search->candidate_count == TUNE_SLOTS_MAX - TUNE_EXTRA_MAX ||
	    srt_variant_check(variant, &search->problem, &search->session->device) != SCANRT_OK)
		return NULL;
	candidate = &search->candidates[search->candidate_count];
	memset(candidate, 0, sizeof *candidate);
	candidate->build.problem = search->problem;
	candidate->build.is_described = search->is_described;
	candidate->build.variant = *variant;
	candidate->build.slot = (int)search->candidate_count++;
	candidate->build.generation = -1;
	srt_variant_format(&text, variant);
	strncat(candidate->build.text, srt_strbuf_text(&text), sizeof candidate->build.text - 1);
	srt_strbuf_free(&text);
	return candidate;
}

/* Whether a cluster of the caller's types fits is known once it is compiled; what the library then takes is a default,
 * too. */
static void add_unclustered(struct tune_search *search, size_t klass)
{
	struct srt_device device = search->session->device;
	struct tune_candidate *candidate;
	struct srt_variant variant;

	device.has_clusters = false;
	if (!search->is_described || srt_heuristic_at(&variant, &search->problem, &device,
		search->classes[klass].timing.count) != SCANRT_OK)
		return;
	candidate = tune_candidate_add(search, &variant);
	if (candidate)
		candidate->build.is_default = candidate->is_fallback[klass] = true;
}

static void add_defaults(struct tune_search *search)
{
	struct srt_variant variant;

	for (size_t i = 0; i < search->class_count; i++) {
		struct tune_candidate *candidate;

		if (tune_default_at(&variant, &search->problem, &search->session->device,
			search->classes[i].timing.count, search->is_reproducible) != SCANRT_OK)
			continue;
		candidate = tune_candidate_add(search, &variant);
		if (candidate)
			candidate->build.is_default = candidate->is_default[i] = true;
		add_unclustered(search, i);
	}
}

/* Look-up answers with the problem's own choices, or with those of a problem like it.  file NULL: the session's own
 * database. */
static size_t find_choices(struct srt_db_choice rows[TUNE_CHOICES_MAX], const struct tune_session *session,
	const struct srt_problem *problem, bool is_reproducible, const char *file)
{
	char op_class[TUNE_OP_CLASS_SIZE];
	struct srt_db *db = file ? tune_look_into(file) : session->db;
	struct srt_strbuf name = {0}, fingerprint = {0}, family = {0};
	struct srt_db_lookup lookup = { .source_hash = srt_source_hash(),
					.op_class = tune_op_class(op_class, problem, is_reproducible),
					.type_bytes = (int)tune_element_bytes(problem),
					.moved_bytes = (int)tune_moved_bytes(problem) };
	size_t count = 0;

	tune_problem_name(&name, problem, is_reproducible);
	srt_device_fingerprint(&fingerprint, &session->device);
	srt_device_family(&family, &session->device);
	lookup.problem = srt_strbuf_text(&name);
	lookup.fingerprint = srt_strbuf_text(&fingerprint);
	lookup.family = srt_strbuf_text(&family);
	if (db == NULL || srt_db_find_choices(db, &lookup, rows, TUNE_CHOICES_MAX, &count) != SCANRT_OK)
		count = 0;
	if (file)
		srt_db_close(db);
	srt_strbuf_free(&name);
	srt_strbuf_free(&fingerprint);
	srt_strbuf_free(&family);
	srt_error_clear();
	return count;
}

size_t tune_candidates_chosen(struct srt_db_choice rows[TUNE_CHOICES_MAX], const struct tune_search *search,
	const char *file)
{
	size_t count = find_choices(rows, search->session, &search->problem, search->is_reproducible, file);

	return count > 0 && rows[0].is_similar ? 0 : count;
}

static void mark(struct tune_search *search, struct tune_candidate *candidate, const struct srt_db_choice *row,
	bool is_incumbent)
{
	for (size_t k = 0; k < search->class_count; k++) {
		if (strcmp(search->classes[k].name, row->klass) != 0)
			continue;
		candidate->is_related[k] = true;
		candidate->is_previous[k] |= is_incumbent;
		if (!is_incumbent)
			continue;
		snprintf(search->earlier_reason[k], sizeof search->earlier_reason[k], "%s", row->reason);
		search->earlier_high[k] = row->high_count;
	}
}

/* All are heard to the end; but what was chosen for another problem, device or by somebody else is no incumbent. */
static void add_choices(struct tune_search *search, const char *file)
{
	bool is_own = !file || search->session->options->task == TUNE_TASK_VERIFY;
	struct srt_db_choice rows[TUNE_CHOICES_MAX];
	size_t count = find_choices(rows, search->session, &search->problem, search->is_reproducible, file);

	for (size_t i = 0; i < count; i++) {
		struct tune_candidate *candidate = NULL;
		struct srt_variant variant;

		if (srt_variant_parse(&variant, rows[i].variant) == SCANRT_OK &&
			(!search->is_reproducible ||
				tune_is_in_order(&variant, &search->problem, &search->session->device)))
			candidate = tune_candidate_add(search, &variant);
		if (candidate)
			mark(search, candidate, &rows[i], is_own && !rows[i].is_similar);
	}
	srt_error_clear();
}

bool tune_candidates_known(struct srt_variant *variant, struct tune_session *session, const struct srt_problem *problem,
	uint64_t count)
{
	struct srt_db_choice rows[TUNE_CHOICES_MAX];
	size_t used = 0;

	if (session->options->task != TUNE_TASK_TUNE)
		used = find_choices(rows, session, problem, false, session->import);
	while (used-- > 0)
		if (srt_variant_parse(variant, rows[used].variant) == SCANRT_OK &&
			srt_variant_check(variant, problem, &session->device) == SCANRT_OK &&
			srt_variant_max_count(variant) >= count)
			return true;
	srt_error_clear();
	return false;
}

void tune_candidates_fit_classes(struct tune_search *search)
{
	struct tune_session *session = search->session;
	size_t element = tune_element_bytes(&search->problem), used = 0;
	struct srt_db_choice rows[TUNE_CHOICES_MAX];
	size_t count = find_choices(rows, session, &search->problem, search->is_reproducible, session->import);

	for (size_t k = 0; k < search->class_count; k++)
		for (size_t i = 0; i < count; i++)
			if (strcmp(search->classes[k].name, rows[i].klass) == 0) {
				search->classes[used] = search->classes[k];
				tune_class_recount(&search->classes[used++], rows[i].count, &session->device, element);
				break;
			}
	/* Without a choice, there may still be machine code to verify. */
	search->class_count = used > 0 ? used : 1;
	tune_class_set_ranges(search->classes, search->class_count);
}

/* Every problem draws points of its own; what is good among them comes to the others as a sibling's winner. */
static uint64_t seed_of(const struct tune_search *search)
{
	uint64_t seed = search->session->options->seed;

	for (const char *at = search->name; *at; at++)
		seed = seed * 31 + (unsigned char)*at;
	return seed;
}

static bool add_space(struct tune_search *search, size_t wanted)
{
	const struct tune_session *session = search->session;
	struct srt_variant *variants = calloc(wanted, sizeof *variants);
	size_t count;

	if (variants == NULL)
		return false;
	if (search->is_reproducible)
		count = tune_space_fixed(variants, wanted, &search->problem, &session->device);
	else
		count = tune_space(
			variants, wanted, &search->problem, &session->device, wanted, seed_of(search));
	for (size_t i = 0; i < count; i++)
		tune_candidate_add(search, &variants[i]);
	free(variants);
	return true;
}

/* The last class streams on every GPU, however many classes it has. */
bool tune_is_slow(const struct tune_session *session)
{
	struct tune_class classes[TUNE_CLASS_MAX];
	size_t used = tune_classes(classes, &session->device, 1, NULL, 0, session->pace);

	return !classes[used - 1].is_streaming;
}

/* What a vendor found for this machine, or one of its family, is worth a trial, too. */
static void add_vendor(struct tune_search *search)
{
	struct srt_strbuf path = {0};

	srt_db_vendor_path(&path);
	if (!path.failed && access(srt_strbuf_text(&path), R_OK) == 0)
		add_choices(search, srt_strbuf_text(&path));
	srt_strbuf_free(&path);
}

bool tune_candidates_make(struct tune_search *search)
{
	enum tune_task task = search->session->options->task;
	size_t wanted = tune_space_size(search->session->options->effort, tune_is_slow(search->session));

	if (task == TUNE_TASK_VERIFY && wanted < TUNE_KEPT_MAX)
		wanted = TUNE_KEPT_MAX;
	/* Room for the space, a default a class, a number of earlier choices, and what is found on the way. */
	search->candidate_max = wanted + 2 * TUNE_CLASS_MAX + 4 * TUNE_CHOICES_MAX + 1 +
		tune_explore_size(search->session);
	search->candidates = calloc(search->candidate_max, sizeof *search->candidates);
	if (search->candidates == NULL)
		return false;
	if (task != TUNE_TASK_VERIFY && task != TUNE_TASK_DIFF)
		add_defaults(search);
	add_choices(search, NULL);
	if (task == TUNE_TASK_TUNE)
		add_vendor(search);
	if (search->session->import)
		add_choices(search, search->session->import);
	if (search->session->against)
		add_choices(search, search->session->against);
	if (task == TUNE_TASK_VERIFY)
		tune_kept_candidates(search, wanted);
	return task != TUNE_TASK_TUNE || add_space(search, wanted);
}

static void compile(struct tune_search *search, struct tune_candidate *candidate, bool is_first)
{
	struct tune_session *session = search->session;

	if (candidate->is_known || tune_record_find_image(session, &candidate->build))
		return;
	tune_build_request(session, &candidate->build);
	if (is_first)
		tune_pool_submit_first(session->pool, &candidate->build.job);
	else
		tune_pool_submit(session->pool, &candidate->build.job);
}

/* What is found on the way is waited for now, ahead of the next problem's; the last to be submitted is the first. */
void tune_candidates_compile(struct tune_search *search, size_t first)
{
	for (size_t i = first; first == 0 && i < search->candidate_count; i++)
		compile(search, &search->candidates[i], false);
	for (size_t i = search->candidate_count; first > 0 && i > first; i--)
		compile(search, &search->candidates[i - 1], true);
}
