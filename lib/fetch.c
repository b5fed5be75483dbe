/* SPDX-License-Identifier: MIT
 *
 * Kernels from wherever they can be had.  The order is by cost: an image from a database takes a tenth of a
 * millisecond,
 * a compilation about a hundred.
 */
#include "fetch.h"

#include <stdlib.h>
#include <string.h>

#include "../db/db.h"
#include "context.h"
#include "driver.h"
#include "keep.h"
#include "rtc.h"
#include "self_test.h"
#include "status.h"

/* What all the steps of one fetch need. */
struct fetch {
	struct scanrt_context *context;
	struct srt_reading *reading;
	struct srt_ahead *ahead;
	const struct srt_problem *problem;
	const struct srt_variant *variant;
	char recipe[SRT_HASH_TEXT];
	char entry[40];
	bool wants_ptx;
};

/* What the kernel takes is read from the loaded function, not from the row or the compiler's log: only that is true. */
static int load(struct srt_fetched *fetched, const struct fetch *fetch, const struct srt_image *image)
{
	int status = srt_kernel_load(&fetched->kernel, fetch->context->driver, &fetch->context->device, fetch->problem,
		fetch->variant, image);

	if (!status)
		memcpy(fetched->image_key, image->key, sizeof(fetched->image_key));
	if (!status && strcmp(image->codegen, "sass") == 0)
		fetch->context->takes_code = true;
	return status;
}

/* ---- From a database ---- */

/* The bytes change hands.  The entry is the one that our own recipe names, not what the row says. */
static void image_of_row(struct srt_image *image, struct srt_db_image *row, const struct fetch *fetch)
{
	memset(image, 0, sizeof(*image));
	memcpy(image->recipe, fetch->recipe, sizeof(image->recipe));
	memcpy(image->entry, fetch->entry, sizeof(image->entry));
	memcpy(image->key, row->key, sizeof(image->key));
	memcpy(image->codegen, row->codegen, sizeof(image->codegen));
	image->bytes = row->bytes;
	image->size = row->size;
	row->bytes = NULL;
}

/* A damaged or refused image is a remark and a miss: the next file or the compiler makes up for it. */
static bool load_from_file(struct srt_fetched *fetched, const struct fetch *fetch, size_t index)
{
	struct srt_db *db = srt_reading_file(fetch->reading, index);
	const char *path = fetch->reading->catalog->paths[index];
	struct srt_db_image row = { 0 };
	struct srt_image image = { 0 };
	bool is_found = false;
	int status;

	if (!db || !srt_reading_is_trusted(fetch->reading, index))
		return false;
	srt_reading_enter(fetch->reading);
	status = srt_db_find_image(db, fetch->recipe, fetch->wants_ptx ? "ptx" : NULL, &row, &is_found);
	srt_reading_leave(fetch->reading);
	if (!status && is_found) {
		image_of_row(&image, &row, fetch);
		status = load(fetched, fetch, &image);
	}
	if (status)
		srt_account_add(fetch->reading->account, "%s: image of recipe %s: refused: %s", path, fetch->recipe,
			srt_error_last()->text);
	else if (is_found)
		srt_account_add(fetch->reading->account, "%s: image %s%s", path, image.key,
			row.is_unverified ? ", which a program kept and scantune has not verified" : "");
	srt_image_free(&image);
	free(row.bytes);
	return !status && is_found;
}

/* The file that chose the variant need not be the one that has its image: any trusted file will do. */
static bool load_from_catalog(struct srt_fetched *fetched, const struct fetch *fetch)
{
	size_t i;

	for (i = 0; i < fetch->reading->catalog->count; i++)
		if (load_from_file(fetched, fetch, i))
			return true;
	return false;
}

/* ---- From the compiler ---- */

bool srt_is_refusal_of_code(void)
{
	switch (srt_error_last()->cuda_result) {
	case CUDA_ERROR_NO_BINARY_FOR_GPU:
	case CUDA_ERROR_INVALID_IMAGE:
	case CUDA_ERROR_INVALID_SOURCE:
		return true;
	default:
		return false;
	}
}

/* A compiler may be wrong, too: what is kept for other processes is tested before. */
static int self_test(const struct fetch *fetch, const struct srt_kernel *kernel)
{
	int status = SCANRT_OK;

	if (!fetch->context->catalog.cache || !srt_self_test_knows(fetch->problem))
		return SCANRT_OK;
	status = srt_self_test(kernel, fetch->context->driver);
	if (!status)
		srt_account_add(fetch->reading->account, "tested: it scans more than a tile as it should");
	return status;
}

static int check_fresh(struct srt_fetched *fetched, const struct fetch *fetch)
{
	const struct scanrt_context *context = fetch->context;
	int status = context->check ? context->check(context->check_user, &fetched->kernel)
				    : self_test(fetch, &fetched->kernel);

	if (status)
		srt_kernel_unload(&fetched->kernel, context->driver);
	return status;
}

static int build(struct srt_image *image, struct srt_strbuf *log, const struct fetch *fetch)
{
	const struct srt_rtc *rtc = NULL;
	int status = srt_rtc_open(&rtc);

	return status ? status : srt_image_build(image, rtc, fetch->context->driver, fetch->problem, fetch->variant,
		fetch->context->device.capability, fetch->wants_ptx ? SRT_CODEGEN_PTX : SRT_CODEGEN_AUTO, log);
}

/* Without the blank lines that NVRTC ends with. */
static size_t length_of(const struct srt_strbuf *log)
{
	size_t length = log->length;

	while (length > 0 && (log->text[length - 1] == '\n' || log->text[length - 1] == ' '))
		length--;
	return length;
}

/* The compiler is loaded only here, so that a program whose images are all in the database never needs one. */
static int compile(struct srt_fetched *fetched, const struct fetch *fetch)
{
	const struct scanrt_context *context = fetch->context;
	struct srt_image image = { 0 };
	struct srt_strbuf log = { 0 };
	int status;

	fetch->ahead->is_needed = true;
	if (!srt_ahead_take(&status, &image, &log, fetch->ahead, context->driver, fetch->variant, fetch->wants_ptx))
		status = build(&image, &log, fetch);
	if (!status)
		status = load(fetched, fetch, &image);
	if (!status)
		status = check_fresh(fetched, fetch);
	fetched->is_compiled = true;
	if (log.length > 0)
		srt_account_add(fetch->reading->account, "compiler: %.*s", (int)length_of(&log), srt_strbuf_text(&log));
	if (!status)
		srt_account_add(fetch->reading->account, "compiled: image %s by way of %s", image.key, image.codegen);
	if (!status)
		srt_keep_image(fetch->reading, &image, &fetched->kernel);
	srt_strbuf_free(&log);
	srt_image_free(&image);
	return status;
}

/* The recipe needs no compiler: it hashes what would be compiled, not what came out. */
int srt_fetch(struct srt_fetched *fetched, struct scanrt_context *context, struct srt_reading *reading,
	struct srt_ahead *ahead, const struct srt_problem *problem, const struct srt_variant *variant, bool wants_ptx)
{
	struct fetch fetch = { context, reading, ahead, problem, variant, "", "", wants_ptx || context->wants_ptx };
	int status = srt_image_recipe(fetch.recipe, fetch.entry, problem, variant, context->device.capability);

	memset(fetched, 0, sizeof(*fetched));
	if (status || load_from_catalog(fetched, &fetch))
		return status;
	status = compile(fetched, &fetch);
	if (!status || fetch.wants_ptx || !srt_is_refusal_of_code())
		return status;
	/* From now on this context asks for PTX at once, where compiling twice would double every cold start. */
	srt_account_add(reading->account, "the device takes no machine code, and gets PTX from now on (%s)",
		srt_error_last()->text);
	context->wants_ptx = true;
	fetch.wants_ptx = true;
	return compile(fetched, &fetch);
}

/* To look for all kernels in a database that has them would double what the look-up takes; without a database there is
 * nothing to see first. */
static bool may_lack(const struct fetch *fetch)
{
	size_t i;

	for (i = 0; i < fetch->reading->catalog->count && !fetch->ahead->is_needed; i++)
		if (srt_reading_file(fetch->reading, i))
			return false;
	return true;
}

/* Reading an image to see whether there is one takes a tenth of a millisecond: nothing beside a compilation. */
static bool is_at_hand(const struct fetch *fetch)
{
	bool is_found = false;
	size_t i;

	for (i = 0; i < fetch->reading->catalog->count && !is_found; i++) {
		struct srt_db *db = srt_reading_file(fetch->reading, i);
		struct srt_db_image row = { 0 };

		if (!db || !srt_reading_is_trusted(fetch->reading, i))
			continue;
		srt_reading_enter(fetch->reading);
		if (srt_db_find_image(db, fetch->recipe, fetch->wants_ptx ? "ptx" : NULL, &row, &is_found))
			is_found = false;
		srt_reading_leave(fetch->reading);
		free(row.bytes);
	}
	return is_found;
}

void srt_fetch_ahead(struct srt_ahead *ahead, struct scanrt_context *context, struct srt_reading *reading,
	const struct srt_problem *problem, const struct srt_variant *variant, bool wants_ptx)
{
	struct fetch fetch = { context, reading, ahead, problem, variant, "", "", wants_ptx || context->wants_ptx };
	struct srt_error error;

	/* What goes wrong here does so again, and is told, when the kernel is fetched. */
	srt_error_save(&error);
	if (may_lack(&fetch) &&
			!srt_image_recipe(fetch.recipe, fetch.entry, problem, variant, context->device.capability) &&
			!is_at_hand(&fetch))
		srt_ahead_start(ahead, problem, variant, context->device.capability, fetch.wants_ptx);
	srt_error_restore(&error);
}
