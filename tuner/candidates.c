/* SPDX-License-Identifier: MIT
 *
 * Who takes part in a search: what the library would do without a database, what an earlier run chose, what won for
 * another type of the same size, and points of the space.
 */
#include <stdlib.h>
#include <string.h>

#include "heuristic.h"
#include "record.h"
#include "search.h"
#include "space.h"
#include "status.h"

#define CHOICES_MAX 8

bool tune_candidate_serves(const struct tune_candidate *candidate, const struct tune_class *klass)
{
	return klass->timing.count <= srt_variant_max_count(&candidate->build.variant);
}

/* The candidate with this variant, made where there is none; NULL where the device excludes it. */
static struct tune_candidate *add(struct tune_search *search, const struct srt_variant *variant)
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
	candidate->build.variant = *variant;
	candidate->build.slot = (int)search->candidate_count++;
	candidate->build.generation = -1;
	srt_variant_format(&text, variant);
	strncat(candidate->build.text, srt_strbuf_text(&text), sizeof candidate->build.text - 1);
	srt_strbuf_free(&text);
	return candidate;
}

static void add_defaults(struct tune_search *search)
{
	struct srt_variant variant;

	for (size_t i = 0; i < search->class_count; i++) {
		struct tune_candidate *candidate;

		if (srt_heuristic_at(&variant, &search->problem, &search->session->device,
		    search->classes[i].timing.count) != SCANRT_OK)
			continue;
		candidate = add(search, &variant);
		if (candidate)
			candidate->build.is_default = candidate->is_default[i] = true;
	}
}

/* Look-up answers with the problem's own choices, or with those of a problem like it: both are worth a place. */
static void add_previous(struct tune_search *search)
{
	struct tune_session *session = search->session;
	struct srt_db_choice rows[CHOICES_MAX];
	struct srt_strbuf fingerprint = {0}, family = {0};
	struct srt_db_lookup lookup = { .source_hash = srt_source_hash(), .problem = search->name,
					.op_class = srt_op_class(search->problem.op),
					.type_bytes = (int)srt_type_size(search->problem.input_type) };
	size_t count = 0;

	srt_device_fingerprint(&fingerprint, &session->device);
	srt_device_family(&family, &session->device);
	lookup.fingerprint = srt_strbuf_text(&fingerprint);
	lookup.family = srt_strbuf_text(&family);
	if (session->db == NULL || srt_db_find_choices(session->db, &lookup, rows, CHOICES_MAX, &count) != SCANRT_OK)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		struct tune_candidate *candidate;
		struct srt_variant variant;

		if (srt_variant_parse(&variant, rows[i].variant) != SCANRT_OK)
			continue;
		candidate = add(search, &variant);
		for (size_t k = 0; candidate && !rows[i].is_similar && k < search->class_count; k++)
			candidate->is_previous[k] |= strcmp(search->classes[k].name, rows[i].klass) == 0;
	}
	srt_strbuf_free(&fingerprint);
	srt_strbuf_free(&family);
	srt_error_clear();
}

static bool add_space(struct tune_search *search, size_t wanted)
{
	const struct tune_session *session = search->session;
	struct srt_variant *variants = calloc(wanted, sizeof *variants);
	size_t count;

	if (variants == NULL)
		return false;
	count = tune_space(variants, wanted, &search->problem, &session->device, wanted, session->options->seed);
	for (size_t i = 0; i < count; i++)
		add(search, &variants[i]);
	free(variants);
	return true;
}

static bool is_slow(const struct tune_session *session)
{
	struct tune_class classes[TUNE_CLASS_MAX];

	tune_classes(classes, &session->device, 1, NULL, 0, session->pace);
	return !classes[TUNE_CLASS_MAX - 1].is_streaming;
}

bool tune_candidates_make(struct tune_search *search)
{
	size_t wanted = tune_space_size(search->session->options->effort, is_slow(search->session));

	/* Room for the space, a default a class and a number of earlier choices. */
	search->candidates = calloc(wanted + TUNE_CLASS_MAX + CHOICES_MAX + 1, sizeof *search->candidates);
	if (search->candidates == NULL)
		return false;
	add_defaults(search);
	add_previous(search);
	return add_space(search, wanted);
}

void tune_candidates_compile(struct tune_search *search)
{
	const struct tune_session *session = search->session;

	for (size_t i = 0; i < search->candidate_count; i++) {
		struct tune_candidate *candidate = &search->candidates[i];
		struct tune_compile_request *request = &candidate->build.job.request;

		if (candidate->is_known)
			continue;
		request->problem = candidate->build.problem;
		request->variant = candidate->build.variant;
		request->capability = session->device.capability;
		request->is_ptx = session->is_ptx;
		tune_pool_submit(session->pool, &candidate->build.job);
	}
}
