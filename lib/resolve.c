/* SPDX-License-Identifier: MIT
 *
 * The rules of "which variant", in their order.  Each refusal goes into the account with its reason.
 */
#include "resolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../db/db.h"
#include "cover.h"
#include "heuristic.h"
#include "image.h"
#include "status.h"

#define OP_CLASS_TEXT 64
#define DEVICE_TEXT sizeof(((struct srt_db_board *)0)->fingerprint)

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Rules fill the rest of a class where they have more to tell. */
static void append(struct srt_answer *answer, const struct srt_range *range, int origin)
{
	struct srt_class *class = &answer->classes[answer->count++];

	memset(class, 0, sizeof(*class));
	class->low_count = range->low_count;
	class->high_count = range->high_count;
	class->variant = range->variant;
	class->origin = origin;
	class->file = "";
}

/* What is exact has the same bits in any order, and may have the fastest variant. */
static bool is_order_fixed(const struct srt_request *request)
{
	return request->is_reproducible && !srt_problem_is_exact(request->problem);
}

/* ---- The pin ---- */

/* A pin that breaks the promise of the plan's other option is refused: the caller asked for both. */
static int check_pin(const struct srt_variant *variant, const struct srt_request *request)
{
	int status = srt_variant_check(variant, request->problem, request->device);

	if (!status && request->is_reproducible && !srt_variant_is_repeatable(variant, request->problem))
		return srt_fail(SCANRT_ERROR_VARIANT,
			"the pinned variant %s is not reproducible: look-back combines in the order of arrival",
			request->pin);
	return status;
}

/* Whoever set the variable may not be who wrote the program that fails. */
static int name_variable(int status, const struct srt_request *request)
{
	struct srt_error error;

	if (!request->pin_variable)
		return status;
	srt_error_save(&error);
	return srt_fail(status, "%s: %s", request->pin_variable, error.text);
}

/* A pinned block scan serves one tile, and what is beyond it is for the next rules. */
static int ask_pin(struct srt_answer *answer, const struct srt_request *request)
{
	struct srt_range range = { .low_count = 1 };
	int status = srt_variant_parse(&range.variant, request->pin);

	if (!status)
		status = check_pin(&range.variant, request);
	if (status)
		return name_variable(status, request);
	range.high_count = smaller(request->problem->max_count, srt_variant_max_count(&range.variant));
	srt_account_add(request->account, "pinned: %s", request->pin);
	append(answer, &range, SCANRT_ORIGIN_FORCED);
	return SCANRT_OK;
}

/* ---- The database ---- */

/* No tuning changes a bit of what is reproducible: only knobs that leave the order alone may differ. */
static int check_order(const struct srt_variant *variant, const struct srt_request *request)
{
	struct srt_variant order;
	int status = is_order_fixed(request) ? srt_heuristic_reproducible(&order, request->problem, request->device) :
		SCANRT_OK;

	if (status || !is_order_fixed(request) || srt_variant_is_same_order(variant, &order))
		return status;
	return srt_fail(SCANRT_ERROR_VARIANT, "the variant combines in another order than reproducible results do");
}

/* A row may come from a newer library or a hostile hand: it is taken only as far as it checks. */
static bool read_row(struct srt_range *range, const struct srt_db_choice *row, const struct srt_request *request)
{
	uint64_t most;

	if (srt_variant_parse(&range->variant, row->variant) ||
			srt_variant_check(&range->variant, request->problem, request->device) ||
			check_order(&range->variant, request)) {
		srt_account_add(request->account, "choice %" PRId64 ": refused: %s", row->id, srt_error_last()->text);
		return false;
	}
	most = smaller(request->problem->max_count, srt_variant_max_count(&range->variant));
	range->low_count = row->low_count > 0 ? row->low_count : 1;
	range->high_count = smaller(row->high_count, most);
	return range->low_count <= range->high_count;
}

/* How a file knows this device.  A row that this very board was seen with is believed about the clocks; one of a board
 * like it has to be the same in those, too; where there is neither, no row can be meant. */
struct knowledge {
	const struct srt_device *device;
	bool is_doubtful;
	char fingerprint[DEVICE_TEXT];
};

/* Clocks can be set: the last time counts. */
static void learn(void *user, const struct srt_db_board *board)
{
	struct knowledge *known = user;

	if (!srt_device_fits(known->device, board->fingerprint))
		return;
	known->is_doubtful = true;
	if (known->device->uuid[0] != '\0' && strcmp(board->uuid, known->device->uuid) == 0)
		memcpy(known->fingerprint, board->fingerprint, sizeof(known->fingerprint));
}

static int find_device(struct knowledge *known, const struct srt_request *request, struct srt_db *db)
{
	int status;

	memset(known, 0, sizeof(*known));
	known->device = request->device;
	status = srt_db_each_board(db, learn, known);
	if (!status && known->is_doubtful && known->fingerprint[0] == '\0')
		snprintf(known->fingerprint, DEVICE_TEXT, "%s", request->ask_fingerprint(request->user));
	return status;
}

/* The problem goes by its short name: inclusive and exclusive, with and without an initial value, share
 * their choices; what is reproducible has its own. */
static int find_rows(struct srt_db_choice *rows, size_t *count, const struct srt_request *request, struct srt_db *db,
	const char *family)
{
	const struct srt_problem *problem = request->problem;
	size_t input = srt_problem_size(problem, SRT_INPUT);
	size_t output = srt_problem_size(problem, SRT_OUTPUT);
	const char *suffix = is_order_fixed(request) ? SRT_REPRODUCIBLE_SUFFIX : "";
	char op_class[OP_CLASS_TEXT];
	struct knowledge known;
	struct srt_strbuf name = { 0 };
	struct srt_db_lookup lookup = {
		.fingerprint = known.fingerprint,
		.family = family,
		.source_hash = srt_source_hash(),
		.op_class = op_class,
		.type_bytes = (int)(input > output ? input : output),
		.moved_bytes = (int)(input + output),
	};
	int status;

	snprintf(op_class, sizeof(op_class), "%s%s", srt_op_class(problem->op), suffix);
	srt_problem_format(&name, problem, false);
	srt_strbuf_append(&name, suffix);
	lookup.problem = srt_strbuf_text(&name);
	srt_reading_enter(request->reading);
	status = name.failed ? srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a problem's name")
			     : find_device(&known, request, db);
	if (!status)
		status = srt_db_find_choices(db, &lookup, rows, SRT_COVER_MAX, count);
	srt_reading_leave(request->reading);
	srt_strbuf_free(&name);
	return status;
}

/* One line a row: scanrt_plan_describe() shows it to people who ask why.  The reason is the file's. */
static void tell_row(const struct srt_request *request, const struct srt_db_choice *row, const struct srt_range *range,
	const char *path)
{
	srt_account_add(request->account, "%s: choice %" PRId64 " (%s %s%s): %s for %" PRIu64 " to %" PRIu64 "%s%s",
		path, row->id, row->problem, row->klass, row->is_similar ? ", similar" : "", row->variant,
		range->low_count, range->high_count, row->reason[0] ? ": " : "", row->reason);
}

/* The rows of one file become ranges that reach as far as they are good for. */
static void take_rows(struct srt_answer *answer, const struct srt_request *request, const struct srt_db_choice *rows,
	size_t count, const char *path)
{
	struct srt_range ranges[SRT_COVER_MAX];
	const struct srt_db_choice *taken[SRT_COVER_MAX];
	size_t used = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (read_row(&ranges[used], &rows[i], request) &&
				(used == 0 || ranges[used].low_count > ranges[used - 1].high_count))
			taken[used++] = &rows[i];
	srt_cover(ranges, used, request->problem, request->device);
	for (i = 0; i < used; i++) {
		append(answer, &ranges[i], taken[i]->is_similar ? SCANRT_ORIGIN_SIMILAR : SCANRT_ORIGIN_TUNED);
		answer->classes[i].choice = taken[i]->id;
		answer->classes[i].file = path;
		tell_row(request, taken[i], &ranges[i], path);
	}
}

/* Nothing that a file has or lacks is an error: it is then as if the file were not there. */
static void ask_file(struct srt_answer *answer, const struct srt_request *request, size_t index, const char *family)
{
	struct srt_db_choice rows[SRT_COVER_MAX];
	const char *path = request->reading->catalog->paths[index];
	struct srt_db *db = srt_reading_file(request->reading, index);
	size_t count = 0;

	/* What a file says of relatives is no news where it has spoken of the device itself. */
	if (!db || (family && request->reading->files[index].has_answered))
		return;
	if (find_rows(rows, &count, request, db, family)) {
		srt_account_add(request->account, "%s: %s", path, srt_error_last()->text);
		return;
	}
	if (count == 0)
		srt_account_add(request->account, "%s: no choice for %s", path,
			family ? "relatives of the device" : "the device");
	take_rows(answer, request, rows, count, path);
	if (answer->count > 0)
		request->reading->files[index].has_answered = true;
}

/* ---- What is compiled in ---- */

/* A variant for the counts from where the one before ends up to `most`, as far as the plan has any. */
static void append_fixed(struct srt_answer *answer, const struct srt_request *request,
	const struct srt_variant *variant, uint64_t most)
{
	struct srt_range range = { .low_count = 1, .variant = *variant };

	if (answer->count > 0)
		range.low_count = answer->classes[answer->count - 1].high_count + 1;
	range.high_count = smaller(smaller(request->problem->max_count, srt_variant_max_count(variant)), most);
	if (range.low_count <= range.high_count)
		append(answer, &range, SCANRT_ORIGIN_DEFAULT);
}

/* In the place of the defaults.  All of them have one order of combination. */
static int ask_reproducible(struct srt_answer *answer, const struct srt_request *request)
{
	struct srt_variant variant;
	struct srt_variant ring;
	uint64_t most;
	int status = srt_heuristic_reproducible(&ring, request->problem, request->device);

	if (status)
		return status;
	srt_account_add(request->account, "reproducible: the fixed order of combination, by the defaults");
	if (srt_heuristic_reproducible_block(&variant, request->problem, request->device))
		append_fixed(answer, request, &variant, UINT64_MAX);
	if (srt_heuristic_reproducible_totals(&variant, &most, request->problem, request->device))
		append_fixed(answer, request, &variant, most);
	append_fixed(answer, request, &ring, UINT64_MAX);
	srt_error_clear();
	return SCANRT_OK;
}

/* The last rules, which must answer: what the device should run; and, since whether a cluster fits is known only once
 * its kernel is loaded, what it should run if it had no clusters. */
static int ask_defaults(struct srt_answer *answer, const struct srt_request *request, bool may_cluster)
{
	struct srt_range ranges[SRT_HEURISTIC_MAX];
	struct srt_device device = *request->device;
	size_t count;
	size_t i;

	device.has_clusters = device.has_clusters && may_cluster;
	count = srt_heuristic_ranges(ranges, request->problem, &device);

	if (count == 0)
		return srt_error_last()->status;
	for (i = 0; i < count; i++)
		append(answer, &ranges[i], SCANRT_ORIGIN_DEFAULT);
	return SCANRT_OK;
}

/* Rule 0 is the pin, then come all files for the device itself, then all files for relatives, then the
 * defaults. */
static int ask(struct srt_answer *answer, const struct srt_request *request, int rule)
{
	size_t files = request->reading->catalog->count;
	size_t index = (size_t)rule - 1;

	if (rule == 0)
		return request->pin ? ask_pin(answer, request) : SCANRT_OK;
	if (index < files)
		ask_file(answer, request, index, NULL);
	else if (index < 2 * files)
		ask_file(answer, request, index - files, request->family);
	else
		return is_order_fixed(request) ? ask_reproducible(answer, request) :
			ask_defaults(answer, request, index == 2 * files);
	return SCANRT_OK;
}

/* Where the caller goes on from is its own business, so that the rules keep no state and can be asked for
 * one range again. */
int srt_resolve(struct srt_answer *answer, const struct srt_request *request, int *rule)
{
	size_t files = request->reading->catalog->count;
	int rules = (int)(2 * files) + (is_order_fixed(request) || !request->device->has_clusters ? 2 : 3);
	int status = SCANRT_OK;

	answer->count = 0;
	while (!status && answer->count == 0 && *rule < rules)
		status = ask(answer, request, (*rule)++);
	return status;
}
