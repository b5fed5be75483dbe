/* SPDX-License-Identifier: MIT
 *
 * scantune vendor: the database that is installed with the library, made of texts when it is built.  The texts tell
 * which kernels were measured; the choices are offered to those of this build, since a comment that changes in a kernel
 * changes its hash and hardly ever what is fastest.  There is no machine code in it, and what a variant needs is
 * checked by whoever uses it, as for every choice.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choices_text.h"
#include "image.h"
#include "options.h"
#include "record.h"
#include "source.h"
#include "stated.h"
#include "status.h"
#include "tune.h"

/* The counts that a choice serves, of all texts: a problem may come back in another block, or another text. */
struct range {
	int64_t device;
	int64_t problem;
	uint64_t low;
	uint64_t high;
	char klass[16];
};

/* Of the latest line: rows are made where it has something new. */
struct vendor {
	const char *path; /* of the text */
	struct srt_db *db;
	int64_t device;
	int64_t run;
	int64_t problem;
	const char *head;      /* by its address: a device's facts lie in one place of the text */
	char problem_name[96];
	struct range *ranges;
	size_t count;
};

static int fail_line(const struct vendor *vendor, int line, const char *what)
{
	return srt_fail(SCANRT_ERROR_TEXT, "%s:%d: %s", vendor->path, line, what);
}

static int begin_device(struct vendor *vendor, const struct srt_db_measured *row)
{
	struct srt_db_run run = { .source_hash = row->kernels, .effort = row->effort, .arguments = "",
		.version = row->version, .boot_id = "", .kind = "import" };
	char note[80];
	int status = srt_db_put_device(&vendor->device, vendor->db, &row->device);

	if (!status)
		status = srt_db_put_toolchain(&run.toolchain, vendor->db, row->compiler, row->driver_version);
	run.device = vendor->device;
	if (!status)
		status = srt_db_begin_run(vendor->db, &run);
	snprintf(note, sizeof note, "a vendor's, measured with kernels %.16s", row->kernels);
	if (!status)
		status = srt_db_note_run(vendor->db, run.id, 0, 0, note);
	if (!status)
		status = srt_db_finish_run(vendor->db, run.id, "complete");
	vendor->run = run.id;
	vendor->head = row->device.fingerprint;
	vendor->problem_name[0] = '\0';
	return status;
}

static int begin_problem(
	struct vendor *vendor, const struct srt_db_measured *row, struct srt_problem *problem, int line)
{
	char op_class[TUNE_OP_CLASS_SIZE];
	struct srt_db_problem facts;
	struct tune_target target;

	if (!tune_target_of(&target, row->choice.problem) ||
		srt_problem_init_simple(problem, target.type, target.op) != SCANRT_OK)
		return fail_line(vendor, line, "the problem is not an operator and a type that it takes");
	if (strcmp(vendor->problem_name, row->choice.problem) == 0)
		return SCANRT_OK;
	snprintf(vendor->problem_name, sizeof vendor->problem_name, "%s", row->choice.problem);
	tune_problem_facts(&facts, op_class, vendor->problem_name, problem, target.is_reproducible);
	return srt_db_put_problem(&vendor->problem, vendor->db, &facts);
}

/* As the device is not here, only that there is such a variant, in the one form that texts of it have. */
static int check_variant(const struct vendor *vendor, const char *text, int line)
{
	struct srt_strbuf form = { 0 };
	struct srt_variant variant;
	bool is_same;

	if (srt_variant_parse(&variant, text) != SCANRT_OK)
		return fail_line(vendor, line, srt_error_last()->text);
	srt_variant_format(&form, &variant);
	is_same = strcmp(srt_strbuf_text(&form), text) == 0;
	srt_strbuf_free(&form);
	return is_same ? SCANRT_OK : fail_line(vendor, line, "the variant is not in the form that scantune writes");
}

static void tell_kernels(struct srt_db_choice *choice, const struct srt_db_measured *row)
{
	bool is_same = strcmp(row->kernels, srt_source_hash()) == 0;

	if (is_same)
		snprintf(choice->reason, sizeof choice->reason, "vendor: %.140s", row->choice.reason);
	else
		snprintf(choice->reason, sizeof choice->reason, "vendor, with kernels %.16s: %.100s", row->kernels,
			row->choice.reason);
}

/* What `why` shows is a trial: that of the winner is all that is known here. */
static int put_trial(struct vendor *vendor, const struct srt_db_choice *choice)
{
	struct srt_db_trial trial = { .run = vendor->run, .problem = vendor->problem, .variant = choice->variant,
		.klass = choice->klass, .count = choice->count, .status = "ok", .us = choice->us,
		.low_us = choice->low_us, .high_us = choice->high_us, .stage = "final", .ratio = 1 };

	return srt_db_put_trial(vendor->db, &trial);
}

static int add_range(struct vendor *vendor, const struct srt_db_choice *choice, int line)
{
	struct range range = { .device = vendor->device, .problem = vendor->problem, .low = choice->low_count,
		.high = choice->high_count };
	struct range *more = realloc(vendor->ranges, (vendor->count + 1) * sizeof range);

	if (more == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for %zu choices", vendor->count);
	vendor->ranges = more;
	snprintf(range.klass, sizeof range.klass, "%s", choice->klass);
	if (choice->count < range.low || choice->count > range.high)
		return fail_line(vendor, line, "the range lacks its own count");
	for (size_t i = 0; i < vendor->count; i++) {
		if (more[i].device != range.device || more[i].problem != range.problem)
			continue;
		if (strcmp(more[i].klass, range.klass) == 0)
			return fail_line(vendor, line, "the problem has this class already");
		if (more[i].low <= range.high && range.low <= more[i].high)
			return fail_line(vendor, line, "the range meets that of another class of the problem");
	}
	more[vendor->count] = range;
	return SCANRT_OK;
}

static int take(void *user, const struct srt_db_measured *row, int line)
{
	struct vendor *vendor = user;
	struct srt_db_choice choice = row->choice;
	struct srt_problem problem;
	int64_t id;
	int status = SCANRT_OK;

	if (vendor->head != row->device.fingerprint)
		status = begin_device(vendor, row);
	if (!status)
		status = begin_problem(vendor, row, &problem, line);
	if (!status)
		status = check_variant(vendor, choice.variant, line);
	if (!status)
		status = add_range(vendor, &choice, line);
	snprintf(choice.source_hash, sizeof choice.source_hash, "%s", srt_source_hash());
	tell_kernels(&choice, row);
	if (!status)
		status = put_trial(vendor, &choice);
	if (!status)
		status = srt_db_put_choice(&id, vendor->db, vendor->run, vendor->device, vendor->problem, &choice);
	vendor->count += !status;
	return status;
}

static int fill(struct vendor *vendor, const struct tune_options *options)
{
	int status = srt_db_begin(vendor->db);

	for (size_t i = 0; !status && i < options->operand_count; i++) {
		vendor->path = options->operands[i];
		vendor->head = NULL;
		status = tune_choices_read(vendor->path, take, vendor);
	}
	if (!status)
		status = srt_db_set_dates(vendor->db);
	if (!status)
		return srt_db_commit(vendor->db);
	srt_db_rollback(vendor->db);
	return status;
}

/* A scantune of other sources would make choices that this build's library has no use for, and nobody would notice. */
static int check_sources(const char *folder)
{
	int status = SCANRT_OK;

	for (const struct srt_source *source = srt_sources; !status && source->name; source++) {
		struct srt_strbuf path = { 0 }, text = { 0 };

		srt_strbuf_printf(&path, "%s/%s", folder, source->name);
		status = tune_text_read(&text, srt_strbuf_text(&path));
		if (!status && (text.length != source->length || memcmp(text.text, source->text, text.length) != 0))
			status = srt_fail(SCANRT_ERROR_TEXT, "%s: is another text than that of the kernels of this "
				"scantune, which is of other sources", srt_strbuf_text(&path));
		srt_strbuf_free(&path);
		srt_strbuf_free(&text);
	}
	return status;
}

/* Filled beside the place where it will be, and published there as a whole or not at all. */
int tune_command_vendor(const struct tune_options *options)
{
	struct vendor vendor = { 0 };
	struct srt_strbuf aside = { 0 };
	int status;

	srt_strbuf_printf(&aside, "%s.made-%ld", options->output, (long)getpid());
	if (aside.failed)
		return TUNE_EXIT_DATABASE;
	unlink(srt_strbuf_text(&aside)); /* of one that was killed, by the same number */
	status = options->sources ? check_sources(options->sources) : SCANRT_OK;
	if (!status)
		status = srt_db_open(&vendor.db, srt_strbuf_text(&aside), SRT_DB_WRITE);
	if (!status)
		status = fill(&vendor, options);
	if (!status)
		status = srt_db_publish(vendor.db, options->output);
	srt_db_close(vendor.db);
	free(vendor.ranges);
	unlink(srt_strbuf_text(&aside));
	srt_strbuf_free(&aside);
	if (!status) {
		if (!options->is_quiet)
			printf("%s: %zu choices\n", options->output, vendor.count);
		return TUNE_EXIT_COMPLETE;
	}
	fprintf(stderr, "scantune: %s\n", srt_error_last()->text);
	return status == SCANRT_ERROR_TEXT ? TUNE_EXIT_USAGE : TUNE_EXIT_DATABASE;
}
