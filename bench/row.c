/* SPDX-License-Identifier: MIT
 *
 * One row of bench/table: checked, timed in turn with what it is compared with, reported.
 */
#include <string.h>

#include "status.h"
#include "table.h"

#define LEAST_ROUNDS 15
#define MOST_ROUNDS 101
#define WARM_REPLAYS 2

/* Everyone who takes part in a row; ours comes first. */
struct contest {
	struct bench *bench;
	const struct bench_row *row;
	struct tune_ring ring;
	struct tune_contender contenders[BENCH_CONTENDERS_MAX];
	struct bench_scan scans[BENCH_CONTENDERS_MAX];
	struct bench_copy copies[2];
	size_t count;       /* contenders */
	size_t peer_count;  /* of them; they follow ours */
	int copy_method[2]; /* as bench->best_copies has them */
	size_t copy_count;
	struct scanrt_plan *plan; /* bench's own */
	struct scanrt_plan *reference; /* what a REPRODUCIBLE plan is compared with */
	struct scanrt_plan_description description;
};

int bench_least_rounds(const struct bench *bench)
{
	return bench->is_modelled ? 1 : LEAST_ROUNDS;
}

int bench_most_rounds(const struct bench *bench)
{
	return bench->is_modelled ? 1 : MOST_ROUNDS;
}

/* What time is left is shared out evenly among the rows to come. */
double bench_spare_seconds(struct bench *bench, double weight)
{
	double left = bench->ends - tune_contest_now();
	double share = bench->weight_left > 0 ? left * weight / bench->weight_left : 0;

	bench->weight_left -= weight;
	return share > 0 ? share * 0.5 : 0;
}

static struct tune_contender *add(struct contest *contest, tune_enqueue_function enqueue, void *user)
{
	struct tune_contender *contender = &contest->contenders[contest->count++];

	contender->enqueue = enqueue;
	contender->user = user;
	return contender;
}

/* ---- Who takes part ---- */

static int add_ours(struct contest *contest)
{
	const struct bench_row *row = contest->row;
	struct bench_scan *scan = &contest->scans[0];
	int status = bench_plan_of(&contest->plan, contest->bench, row);

	contest->description = (struct scanrt_plan_description)SCANRT_PLAN_DESCRIPTION_INIT;
	if (!status)
		status = scanrt_plan_describe(contest->plan, row->count, &contest->description, NULL, 0);
	*scan = (struct bench_scan){ .plan = contest->plan, .count = row->count, .name = "scanrt" };
	if (!status)
		add(contest, bench_enqueue_plan, scan);
	return status;
}

static int add_others(struct contest *contest)
{
	const struct srt_problem *problem = &contest->row->problem;
	const struct scanrt_peers *peers = bench_user_of(problem) ? contest->bench->user_peers : contest->bench->peers;
	struct scanrt_peer_request request = { contest->row->type, srt_problem_op_name(problem), problem->is_exclusive,
					       contest->row->count };

	for (int i = 0; peers && peers->name(i) && contest->count < BENCH_CONTENDERS_MAX - 2; i++) {
		struct bench_scan *scan = &contest->scans[contest->count];
		int error = peers->open(&scan->peer, i, &request);

		if (error == SCANRT_PEER_NONE)
			continue;
		if (error)
			return srt_fail_driver(SCANRT_ERROR_DRIVER, error, "%s: error %d", peers->name(i), error);
		scan->peers = peers;
		scan->count = contest->row->count;
		snprintf(scan->name, sizeof scan->name, "%s", peers->name(i));
		add(contest, bench_enqueue_peer, scan);
		contest->peer_count++;
	}
	return SCANRT_OK;
}

/* The same plan on aligned arrays, or the tuned plan where ours is the reproducible one. */
static int add_reference(struct contest *contest)
{
	const struct bench_row *row = contest->row;
	struct bench_scan *scan = &contest->scans[1];
	int status = SCANRT_OK;

	*scan = contest->scans[0];
	snprintf(scan->name, sizeof scan->name, row->family->peer == BENCH_TUNED ? "tuned" : "aligned");
	if (row->family->peer == BENCH_TUNED) {
		status = bench_plan(&contest->reference, contest->bench, &row->problem, 0, row->count, row->count);
		scan->plan = contest->reference;
	}
	if (!status) {
		add(contest, bench_enqueue_plan, scan);
		contest->peer_count++;
	}
	return status;
}

/* Read and written. */
static size_t bytes_of_element(const struct bench_row *row)
{
	return srt_problem_size(&row->problem, SRT_INPUT) + srt_problem_size(&row->problem, SRT_OUTPUT);
}

static size_t copied_bytes(const struct bench_row *row)
{
	return row->count * bytes_of_element(row) / 2;
}

/* The better way to copy just so many bytes, 0 where it is not known yet.  What is better at one size says nothing of
 * the next: what won at 2^28 bytes took half as long again as the other at 320000000. */
static int *best_copy(struct bench *bench, size_t bytes)
{
	const size_t most = sizeof bench->best_copies / sizeof bench->best_copies[0];
	size_t i = 0;

	while (i < bench->best_copy_count && bench->best_copies[i].bytes != bytes)
		i++;
	if (i == bench->best_copy_count && i < most)
		bench->best_copies[bench->best_copy_count++].bytes = bytes;
	return i < most ? &bench->best_copies[i].method : NULL;
}

/* Both ways to copy where it is not known yet which is the better one at this size. */
static void add_copies(struct contest *contest)
{
	struct bench *bench = contest->bench;
	size_t bytes = copied_bytes(contest->row);
	const int *best = best_copy(bench, bytes);
	int known = best == NULL ? 0 : *best;

	for (int method = 1; method <= 2; method++) {
		struct bench_copy *copy = &contest->copies[contest->copy_count];

		if (known && known != method)
			continue;
		*copy = (struct bench_copy){ bench, method == 1 ? bench->copy_kernel : NULL, bytes };
		contest->copy_method[contest->copy_count++] = method;
		add(contest, bench_enqueue_copy, copy);
	}
}

static int gather(struct contest *contest)
{
	int status = add_ours(contest);

	if (!status && contest->row->family->peer == BENCH_OTHERS)
		status = add_others(contest);
	if (!status && contest->row->family->peer > BENCH_OTHERS)
		status = add_reference(contest);
	if (!status)
		add_copies(contest);
	return status;
}

/* ---- Checked and timed ---- */

/* Where a contender goes: what stands for "aligned" has aligned arrays, and a copy is never in place. */
static struct tune_ring ring_of(const struct contest *contest, size_t index)
{
	const struct bench_row *row = contest->row;
	struct tune_ring ring = contest->ring;
	struct tune_ring plain = bench_ring(contest->bench, &row->problem, row->count, BENCH_CONTIGUOUS);
	bool is_aligned = index > 0 && (row->family->peer == BENCH_ALIGNED || index > contest->peer_count);

	/* Types of two sizes: a copy of the same bytes goes from slots of one size to slots of that size. */
	if (index > contest->peer_count)
		plain.in_stride = plain.out_stride =
			plain.in_stride > plain.out_stride ? plain.in_stride : plain.out_stride;
	return is_aligned ? plain : ring;
}

/* Another library's fault does not end the row, but takes that library out of it. */
static int drop_peer(struct contest *contest, size_t index, int status)
{
	bool is_other = contest->row->family->peer == BENCH_OTHERS && index > 0 && index <= contest->peer_count;

	if (status == SCANRT_OK || status == SCANRT_ERROR_DEVICE_LOST || !is_other)
		return status;
	bench_note(contest->bench, "  left out: %s: %s", contest->scans[index].name, srt_error_last()->text);
	srt_error_clear();
	tune_contender_free(&contest->contenders[index], &contest->bench->contest);
	contest->scans[index].peers->close(contest->scans[index].peer);
	for (size_t i = index; i + 1 < contest->count; i++) {
		contest->contenders[i] = contest->contenders[i + 1];
		contest->scans[i] = contest->scans[i + 1];
		if (i < contest->peer_count)
			contest->contenders[i].user = &contest->scans[i];
	}
	contest->count--;
	contest->peer_count--;
	contest->scans[contest->count].peer = NULL;
	return SCANRT_OK;
}

static bool is_sum_of_doubles(const struct srt_problem *problem)
{
	return problem->op == SCANRT_OPERATOR_USER && bench_user_of(problem) && !bench_user_of(problem)->data;
}

static int check_all(struct contest *contest)
{
	struct bench *bench = contest->bench;
	const struct srt_problem *problem = &contest->row->problem;
	int status = SCANRT_OK;

	/* Arrays elsewhere hold other inputs: each is filled before what scans it. */
	for (size_t i = contest->peer_count + 1; !status && i-- > 0;) {
		struct tune_ring ring = ring_of(contest, i);

		status = bench_fill(bench, problem, &ring, contest->row->count, false);
		if (!status)
			status = bench_check(bench, problem, &ring, &contest->contenders[i], contest->row->count);
		status = drop_peer(contest, i, status);
	}
	if (!status && (srt_type_is_float(problem->input_type) || is_sum_of_doubles(problem)))
		status = bench_fill(bench, problem, &contest->ring, contest->row->count, true);
	return status;
}

static int time_all(struct contest *contest)
{
	struct bench *bench = contest->bench;
	struct tune_contender *list[BENCH_CONTENDERS_MAX];
	int status = SCANRT_OK;

	for (size_t i = 0; !status && i < contest->count;) {
		struct tune_ring ring = ring_of(contest, i);
		size_t before = contest->count;

		ring.scans = contest->ring.scans;
		list[i] = &contest->contenders[i];
		status = tune_contender_prepare(list[i], &bench->contest, &ring, bench->is_modelled ? 0 : WARM_REPLAYS);
		status = drop_peer(contest, i, status);
		/* Where one was left out, the next is in its place. */
		i += contest->count == before;
	}
	if (!status)
		status = tune_contest_run(&bench->contest, list, contest->count, bench_least_rounds(bench),
			bench_most_rounds(bench), bench_spare_seconds(bench, 1));
	return status;
}

/* ---- The result ---- */

static double copy_us(const struct contest *contest)
{
	const struct bench_row *row = contest->row;
	int *known = best_copy(contest->bench, copied_bytes(row));
	double best = 0;

	for (size_t i = 0; i < contest->copy_count; i++) {
		double us = tune_summarise(&contest->contenders[contest->peer_count + 1 + i].values).median;

		if (best == 0 || us < best) {
			best = us;
			if (known != NULL)
				*known = contest->copy_method[i];
		}
	}
	return best;
}

static void report(struct contest *contest)
{
	const struct bench_row *row = contest->row;
	double size = (double)bytes_of_element(row);
	struct bench_result result = { .type = row->type, .op = srt_problem_op_name(&row->problem),
				       .is_exclusive = row->problem.is_exclusive, .count = row->count,
				       .layout = bench_layout_name(row->family->layout),
				       .description = &contest->description,
				       .ours = tune_summarise(&contest->contenders[0].values),
				       .copy_us = copy_us(contest), .bytes = size * (double)row->count };

	if (row->family->flags & SCANRT_REPRODUCIBLE)
		result.layout = "reproducible";
	/* A line for each peer; the targets are those of the first, or of none where there is none. */
	for (size_t i = 0; i < contest->peer_count || i == 0; i++) {
		bool has_peer = i < contest->peer_count;

		result.peer = has_peer ? contest->scans[1 + i].name : NULL;
		result.peer_us = has_peer ? tune_summarise(&contest->contenders[1 + i].values).median : 0;
		result.want_share = i == 0 ? row->point->share : 0;
		result.want_ratio = i == 0 ? row->point->ratio : 0;
		result.want_us = i == 0 ? row->point->us : 0;
		bench_report(contest->bench, &result);
	}
}

static void clear(struct contest *contest)
{
	for (size_t i = 0; i < contest->count; i++)
		tune_contender_free(&contest->contenders[i], &contest->bench->contest);
	for (size_t i = 0; i < BENCH_CONTENDERS_MAX; i++)
		if (contest->scans[i].peer)
			contest->scans[i].peers->close(contest->scans[i].peer);
	scanrt_plan_destroy(contest->reference);
}

int bench_run_row(struct bench *bench, const struct bench_row *row)
{
	struct contest contest = { .bench = bench, .row = row };
	int status;

	contest.ring = bench_ring(bench, &row->problem, row->count, row->family->layout);
	status = gather(&contest);
	if (!status)
		status = check_all(&contest);
	if (!status)
		status = time_all(&contest);
	if (!status)
		report(&contest);
	clear(&contest);
	return status;
}
