/* SPDX-License-Identifier: MIT
 *
 * The search beyond its first candidates, so that the winner does not hang on what the seed has drawn: what won for
 * other problems of the same elements is tried here, too; then, in every class, the neighbours of what is best are,
 * until no neighbour is better, or there were enough of them.
 */
#include <stdlib.h>
#include <string.h>

#include "fixed_order.h"
#include "neighbours.h"
#include "record.h"
#include "search.h"
#include "space.h"
#include "stated.h"
#include "status.h"

#define NEARLY 1.01         /* times the best: its neighbours may be better than the best's */
#define HOPELESS 3.0        /* times the best in a class: no neighbour of such a one is timed there */
#define AT_A_TIME 24        /* neighbours of one candidate, at most */
#define SIBLINGS_MAX 64

size_t tune_explore_size(const struct tune_session *session)
{
	static const size_t sizes[2][3] = { { 24, 96, 640 }, { 0, 4, 24 } };

	if (session->options->task != TUNE_TASK_TUNE)
		return 0;
	return SIBLINGS_MAX + sizes[tune_is_slow(session)][session->options->effort];
}

/* ---- New candidates ---- */

/* What is promised an order of combination stays in it. */
static bool add(struct tune_search *search, const struct srt_variant *variant)
{
	size_t before = search->candidate_count;

	if (before == search->candidate_max || (search->is_reproducible &&
		!tune_is_in_order(variant, &search->problem, &search->session->device)))
		return false;
	return tune_candidate_add(search, variant) && search->candidate_count > before;
}

/* Whoever waits for the GPU next waits for these first, not for the next problem's. */
static void try_new(struct tune_search *search, size_t first)
{
	if (first == search->candidate_count)
		return;
	tune_record_resume(search, first);
	tune_candidates_compile(search, first);
	tune_report_more((int)search->candidate_count);
	tune_trials(search, first);
}

/* ---- What won for others ---- */

struct siblings {
	struct tune_search *search;
	const char *fingerprint;
	size_t added;
};

static bool is_sibling(const struct tune_search *search, const char *name)
{
	struct tune_target target;
	struct srt_problem problem;

	return strcmp(name, search->name) != 0 && tune_target_of(&target, name) &&
	       target.is_reproducible == search->is_reproducible &&
	       srt_problem_init_simple(&problem, target.type, target.op) == SCANRT_OK &&
	       tune_element_bytes(&problem) == tune_element_bytes(&search->problem) &&
	       tune_moved_bytes(&problem) == tune_moved_bytes(&search->problem);
}

static int take_sibling(void *user, const struct srt_db_choice *choice, const char *device)
{
	struct siblings *siblings = user;
	struct srt_variant variant;

	(void)device;
	if (strcmp(choice->fingerprint, siblings->fingerprint) == 0 &&
		strcmp(choice->source_hash, srt_source_hash()) == 0 && is_sibling(siblings->search, choice->problem) &&
		srt_variant_parse(&variant, choice->variant) == SCANRT_OK)
		siblings->added += add(siblings->search, &variant);
	return siblings->added == SIBLINGS_MAX;
}

static void try_siblings(struct tune_search *search)
{
	struct srt_strbuf fingerprint = {0};
	struct siblings siblings = { .search = search };
	size_t first = search->candidate_count;

	srt_device_fingerprint(&fingerprint, &search->session->device);
	siblings.fingerprint = srt_strbuf_text(&fingerprint);
	if (search->session->db && !fingerprint.failed)
		srt_db_each_choice(search->session->db, NULL, take_sibling, &siblings);
	srt_strbuf_free(&fingerprint);
	srt_error_clear();
	try_new(search, first);
}

/* ---- Neighbours ---- */

static double time_of(const struct tune_candidate *candidate, size_t klass)
{
	if (candidate->verdict != TUNE_OK || candidate->is_out[klass] || candidate->values[klass].count == 0)
		return 0;
	return tune_summarise(&candidate->values[klass]).median;
}

/* The fastest of a class where it is not looked around yet; or else, where that is asked for, of those next to it. */
static struct tune_candidate *to_explore(struct tune_search *search, size_t klass, double nearly)
{
	struct tune_candidate *found = NULL;
	double found_us = 0, best = 0;

	for (size_t i = 0; i < search->candidate_count; i++) {
		struct tune_candidate *candidate = &search->candidates[i];
		double us = time_of(candidate, klass);

		if (us > 0 && (best == 0 || us < best))
			best = us;
		if (us > 0 && !candidate->is_explored && (found == NULL || us < found_us)) {
			found = candidate;
			found_us = us;
		}
	}
	return found && found_us <= nearly * best ? found : NULL;
}

/* Of classes in which the one that it is a neighbour of is far from the best. */
static void leave_out(struct tune_search *search, struct tune_candidate *candidate, const struct tune_candidate *of)
{
	for (size_t k = 0; k < search->class_count; k++)
		candidate->is_out[k] = of->values[k].count > 0 &&
			tune_summarise(&of->values[k]).median > HOPELESS * search->best_us[k];
}

static void add_neighbours(struct tune_search *search, struct tune_candidate *of, size_t *left)
{
	struct srt_variant variants[AT_A_TIME];
	size_t count = tune_neighbours(
		variants, AT_A_TIME, &of->build.variant, &search->problem, &search->session->device);

	of->is_explored = true;
	for (size_t i = 0; i < count && *left > 0; i++)
		if (tune_space_has(&variants[i], &search->problem) && add(search, &variants[i])) {
			leave_out(search, &search->candidates[search->candidate_count - 1], of);
			--*left;
		}
}

/* One candidate a class; false: there is none. */
static bool look_around(struct tune_search *search, double nearly, size_t *left)
{
	size_t first = search->candidate_count;
	bool has_any = false;

	for (size_t k = 0; k < search->class_count; k++) {
		struct tune_candidate *candidate = to_explore(search, k, nearly);

		has_any |= candidate != NULL;
		if (candidate)
			add_neighbours(search, candidate, left);
	}
	try_new(search, first);
	return has_any;
}

void tune_explore(struct tune_search *search)
{
	size_t left = tune_explore_size(search->session);
	bool goes_on = left > 0;

	if (!goes_on || tune_should_stop(search->session))
		return;
	left -= SIBLINGS_MAX;
	try_siblings(search);
	while (goes_on && left > 0 && !tune_should_stop(search->session))
		goes_on = look_around(search, 1, &left) || look_around(search, NEARLY, &left);
}
