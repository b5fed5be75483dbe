/* SPDX-License-Identifier: MIT
 *
 * SCANRT_REPRODUCIBLE pins the order of combination: a database that prefers another one changes nothing, and one that
 * has found a faster ring around that order changes no bit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../db/db.h"
#include "../device.h"

#define PREFERRED "lookahead,block=128,items=4,stages=3,ahead=1"
#define RING      "lookahead,items=28,store=bulk,stages=2,ahead=1,gather=2"

struct reproducible {
	struct test_device device;
	struct reference reference;
	struct test_buffer in;
	struct test_buffer out;
	char path[64];
};

static void put_choice(struct srt_db *db, const struct reproducible *state, int64_t device, int64_t problem,
	const char *variant)
{
	struct srt_db_run run = { 0 };
	struct srt_db_choice choice = { 0 };
	int64_t id;

	run.device = device;
	test_need(srt_db_put_toolchain(&run.toolchain, db, "none", state->device.driver->version));
	run.source_hash = srt_source_hash();
	run.effort = "quick";
	run.arguments = "";
	run.version = "0";
	run.boot_id = "";
	test_need(srt_db_begin_run(db, &run));
	snprintf(choice.klass, sizeof(choice.klass), "large");
	snprintf(choice.variant, sizeof(choice.variant), "%s", variant);
	choice.low_count = 0;
	choice.high_count = INT64_MAX;
	choice.count = 1000;
	choice.us = choice.low_us = choice.high_us = choice.default_us = choice.copy_us = 1;
	test_need(srt_db_put_choice(&id, db, run.id, device, problem, &choice));
	test_need(srt_db_finish_run(db, run.id, "complete"));
}

/* A database in which one variant has won every count of f32 sums on this very device, or of those in the promised
 * order. */
static void make_database(struct reproducible *state, bool is_reproducible, const char *variant)
{
	struct srt_strbuf fingerprint = { 0 };
	struct srt_strbuf family = { 0 };
	const struct srt_device *facts = &state->device.facts;
	struct srt_db_device device = { .name = facts->name,
		.uuid = facts->uuid,
		.capability = facts->capability,
		.sm_count = facts->sm_count,
		.l2_bytes = facts->l2_bytes,
		.memory_bytes = (int64_t)facts->memory_bytes,
		.is_modelled = facts->is_emulated };
	struct srt_db_problem plain = { "sum f32", "sum", "arithmetic", "f32", "f32", "f32", 4, 0 };
	struct srt_db_problem fixed = { "sum f32 reproducible", "sum", "arithmetic reproducible", "f32", "f32",
		"f32", 4, 0 };
	struct srt_db *db = NULL;
	int64_t device_id;
	int64_t problem_id;

	srt_device_fingerprint(&fingerprint, facts);
	srt_device_family(&family, facts);
	device.fingerprint = srt_strbuf_text(&fingerprint);
	device.family = srt_strbuf_text(&family);
	unlink(state->path);
	test_need(srt_db_open(&db, state->path, SRT_DB_WRITE));
	test_need(srt_db_put_device(&device_id, db, &device));
	test_need(srt_db_put_problem(&problem_id, db, is_reproducible ? &fixed : &plain));
	put_choice(db, state, device_id, problem_id, variant);
	srt_db_close(db);
	srt_strbuf_free(&fingerprint);
	srt_strbuf_free(&family);
}

static void scan_with(struct reproducible *state, struct scanrt_plan_description *description, void *results,
	const char *database, uint32_t flags)
{
	struct scanrt_context_options where = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_plan_options how = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_context *context = NULL;
	struct scanrt_plan *plan = NULL;
	struct scanrt_problem published;
	char ordinal[16];

	snprintf(ordinal, sizeof(ordinal), "%d", state->device.ordinal);
	where.device = ordinal;
	where.database = database;
	how.flags = flags;
	test_need(scanrt_context_create(&context, &where));
	test_problem_publish(&published, &state->reference.problem, state->reference.count);
	test_need(scanrt_plan_create(&plan, context, &published, &how));
	test_need(scanrt_plan_describe(plan, state->reference.count, description, NULL, 0));
	test_need(scanrt_plan_execute(plan, (void *)(uintptr_t)state->out.address,
		(const void *)(uintptr_t)state->in.address, state->reference.count, NULL));
	test_synchronize(&state->device);
	test_download(&state->device, results, state->out.address, state->out.size);
	scanrt_plan_destroy(plan);
	scanrt_context_destroy(context);
}

static void compare(struct reproducible *state)
{
	struct scanrt_plan_description tuned = SCANRT_PLAN_DESCRIPTION_INIT;
	struct scanrt_plan_description fixed = SCANRT_PLAN_DESCRIPTION_INIT;
	struct scanrt_plan_description untuned = SCANRT_PLAN_DESCRIPTION_INIT;
	void *with = malloc(state->out.size);
	void *without = malloc(state->out.size);

	if (!with || !without)
		abort();
	scan_with(state, &tuned, with, state->path, 0);
	tap_is_int(tuned.origin, SCANRT_ORIGIN_TUNED, "the database's choice is used where nothing is pinned");
	tap_is_string(tuned.variant, PREFERRED, "and it is the variant of that choice");
	tap_is_string(tuned.database, state->path, "and the description names the file");
	scan_with(state, &fixed, with, state->path, SCANRT_REPRODUCIBLE);
	scan_with(state, &untuned, without, "off", SCANRT_REPRODUCIBLE);
	tap_is_string(fixed.variant, untuned.variant, "B101: a reproducible plan has one variant, whatever was tuned");
	tap_ok(strcmp(fixed.variant, tuned.variant) != 0, "B101: and the tuned one is another");
	tap_lacks(fixed.variant, "lookback", "B097 B101: a reproducible plan never uses look-back");
	tap_is_bytes(
		with, without, state->out.size, "B101: its float results have the same bits before and after tuning");
	free(with);
	free(without);
}

/* What scantune found among the variants of the order is used, and has its bits; what has another order is not. */
static void compare_rings(struct reproducible *state)
{
	struct scanrt_plan_description ring = SCANRT_PLAN_DESCRIPTION_INIT;
	struct scanrt_plan_description untuned = SCANRT_PLAN_DESCRIPTION_INIT;
	void *with = malloc(state->out.size);
	void *without = malloc(state->out.size);

	if (!with || !without)
		abort();
	scan_with(state, &untuned, without, "off", SCANRT_REPRODUCIBLE);
	make_database(state, true, RING);
	scan_with(state, &ring, with, state->path, SCANRT_REPRODUCIBLE);
	tap_is_int(ring.origin, SCANRT_ORIGIN_TUNED, "what was tuned for reproducible results is used for them");
	tap_is_string(ring.variant, RING, "and is the variant of that choice");
	tap_ok(strcmp(ring.variant, untuned.variant) != 0, "which is another than the default");
	tap_is_bytes(with, without, state->out.size, "B101: its float results have the same bits");
	scan_with(state, &ring, with, state->path, 0);
	tap_ok(ring.origin != SCANRT_ORIGIN_TUNED, "other plans do not take it");
	make_database(state, true, PREFERRED);
	scan_with(state, &ring, with, state->path, SCANRT_REPRODUCIBLE);
	tap_is_int(ring.origin, SCANRT_ORIGIN_DEFAULT, "B101: what a database has of another order is refused");
	tap_is_bytes(with, without, state->out.size, "B101: and the results have the same bits");
	free(with);
	free(without);
}

int main(void)
{
	struct reproducible state = { 0 };
	struct srt_problem problem;
	uint64_t count;
	float *input;

	test_device_open(&state.device);
	tap_plan(0);
	count = test_cap(&state.device, 1000003);
	input = malloc(count * sizeof(*input));
	if (!input)
		abort();
	for (uint64_t i = 0; i < count; i++)
		input[i] = (float)fmod((double)i * 3.14159265358979323846, 1.0);
	test_problem(&problem, SCANRT_SUM, SCANRT_F32, SCANRT_F32, SCANRT_F32, false);
	reference_create_from(&state.reference, &problem, input, true, count);
	test_buffer_create(&state.in, &state.device, count * 4, 0);
	test_buffer_create(&state.out, &state.device, count * 4, 0);
	test_upload(&state.device, state.in.address, input, count * 4);
	snprintf(state.path, sizeof(state.path), "/tmp/scanrt-reproducible-%ld.db", (long)getpid());
	make_database(&state, false, PREFERRED);
	compare(&state);
	compare_rings(&state);
	unlink(state.path);
	free(input);
	reference_destroy(&state.reference);
	test_buffer_destroy(&state.in, &state.device);
	test_buffer_destroy(&state.out, &state.device);
	test_device_close(&state.device);
	return tap_done();
}
