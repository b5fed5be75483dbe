/* SPDX-License-Identifier: MIT
 *
 * Names for machine code before it exists.  Only what goes into a compiler is hashed, never what comes out: NVRTC
 * puts a random token into its PTX, so a hash of the output would never be met again.
 */
#define _GNU_SOURCE /* secure_getenv */

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../kernels/abi.h"
#include "recipe.h"
#include "status.h"
#include "strategy.h"

/* ---- Hashing ---- */

/* The length goes first, in an order of bytes that does not depend on the machine: databases travel. */
static void hash_text(XXH3_state_t *state, const char *text, size_t length)
{
	unsigned char prefix[8];
	size_t i;

	for (i = 0; i < sizeof(prefix); i++)
		prefix[i] = (unsigned char)((uint64_t)length >> (8 * i));
	XXH3_128bits_update(state, prefix, sizeof(prefix));
	XXH3_128bits_update(state, text, length);
}

static void finish_hash(char hash[SRT_HASH_TEXT], const XXH3_state_t *state)
{
	XXH128_canonical_t canonical;
	size_t i;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
	for (i = 0; i < sizeof(canonical.digest); i++)
		snprintf(hash + 2 * i, 3, "%02x", canonical.digest[i]);
}

void srt_sources_hash(char hash[SRT_HASH_TEXT], const struct srt_source *sources)
{
	const struct srt_source *source;
	XXH3_state_t state;
	char abi[32];

	XXH3_128bits_reset(&state);
	snprintf(abi, sizeof(abi), "scan abi %d", SCAN_ABI);
	hash_text(&state, abi, strlen(abi));
	for (source = sources; source->name; source++) {
		hash_text(&state, source->name, strlen(source->name));
		hash_text(&state, source->text, source->length);
	}
	finish_hash(hash, &state);
}

void srt_texts_hash(char hash[SRT_HASH_TEXT], const char *const *texts, size_t count)
{
	XXH3_state_t state;
	size_t i;

	XXH3_128bits_reset(&state);
	for (i = 0; i < count; i++)
		hash_text(&state, texts[i], strlen(texts[i]));
	finish_hash(hash, &state);
}

static char source_hash[SRT_HASH_TEXT];

static void hash_sources(void)
{
	srt_sources_hash(source_hash, srt_sources);
}

const char *srt_source_hash(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, hash_sources);
	return source_hash;
}

/* ---- Options ---- */

static void add_option(struct srt_options *options, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_option(struct srt_options *options, const char *format, ...)
{
	char *text = options->text[options->count];
	va_list arguments;
	int length;

	assert(options->count < SRT_MOST_OPTIONS);
	va_start(arguments, format);
	length = vsnprintf(text, sizeof(options->text[0]), format, arguments);
	va_end(arguments);
	/* A text cut short could make two recipes one. */
	assert(length > 0 && (size_t)length < sizeof(options->text[0]));
	(void)length;
	options->list[options->count++] = text;
}

/* A type of the user's has a name of ours in the user's text (user_text.c): the options stay short. */
static void add_type(struct srt_options *options, const char *role, int type, const char *user_name)
{
	add_option(options, "-DSCAN_%s=%s", role, type == SCANRT_TYPE_USER ? user_name : srt_type_name(type));
}

static void add_problem(struct srt_options *options, const struct srt_problem *problem)
{
	add_type(options, "INPUT", problem->input_type, "user_input");
	add_type(options, "ACCUMULATOR", problem->accumulator_type, "user_accumulator");
	add_type(options, "OUTPUT", problem->output_type, "user_output");
	add_option(options, "-DSCAN_OPERATOR=%s", srt_op_name(problem->op));
	add_option(options, "-DSCAN_EXCLUSIVE=%d", problem->is_exclusive);
	add_option(options, "-DSCAN_INITIAL=%d", problem->has_initial);
}

static void add_variant(struct srt_options *options, const struct srt_variant *variant)
{
	const struct srt_knob *knob;

	add_option(options, "-DSCAN_STRATEGY=%d", variant->strategy);
	add_option(options, "-DSCAN_PHASES=%d", srt_strategy_phases(variant->strategy));
	add_option(options, "-DSCAN_FILE=\"%s\"", srt_strategy_find(variant->strategy)->file);
	if (variant->circuit > SRT_CIRCUIT_WARPS)
		add_option(options, "-DSCAN_CIRCUIT_FILE=\"%s\"", srt_circuit_file(variant->circuit));
	for (knob = srt_knobs; knob->name; knob++)
		add_option(options, "-D%s=%d", knob->macro, srt_knob_get(knob, variant));
}

/* What the host computes from the knobs, and the kernels compute again and compare. */
static void add_agreement(struct srt_options *options, const struct srt_problem *problem,
	const struct srt_variant *variant)
{
	add_option(options, "-DSCAN_TILE=%u", (unsigned)srt_variant_tile(variant));
	add_option(options, "-DSCAN_VECTOR=%d", srt_variant_vector(variant, problem));
	add_option(options, "-DSCAN_TILE_WORDS=%u", (unsigned)srt_variant_tile_words(variant, problem));
	add_option(options, "-DSCAN_SHARED_BYTES=%zu", srt_variant_shared_bytes(variant, problem));
}

/* Read each time: whoever counts the operator's applications on an emulated device wants other kernels than who does
 * not, and in one process both may be wanted. */
static bool are_applies_counted(void)
{
	const char *asked = secure_getenv("SCANRT_COUNT_APPLIES");

	return asked && strcmp(asked, "1") == 0;
}

static void add_target(struct srt_options *options, const char *arch)
{
	options->count = 0;
	add_option(options, "--gpu-architecture=%s", arch);
	add_option(options, "--std=c++17");
	add_option(options, "--device-as-default-execution-space");
}

/* A built-in operator always has an identity. */
void srt_options_make_plain(struct srt_options *options, const struct srt_problem *problem, const char *arch)
{
	add_target(options, arch);
	add_problem(options, problem);
	add_option(options, "-DSCAN_IDENTITY=%d", problem->op != SCANRT_OPERATOR_USER || problem->user->has_identity);
}

void srt_options_make(struct srt_options *options, const struct srt_problem *problem, const struct srt_variant *variant,
	const char *arch, const char *entry)
{
	add_target(options, arch);
	if (entry)
		add_option(options, "-DSCAN_ENTRY=%s", entry);
	add_problem(options, problem);
	add_variant(options, variant);
	add_agreement(options, problem, variant);
	if (are_applies_counted())
		add_option(options, "-DSCAN_COUNT_APPLIES");
}

/* ---- Recipe and key ---- */

void srt_recipe_make(char recipe[SRT_HASH_TEXT], char entry[40], const char *sources, const char *user_text,
	const struct srt_options *options)
{
	const char *texts[SRT_MOST_OPTIONS + 2];
	size_t count = 0;

	texts[count++] = sources;
	if (user_text)
		texts[count++] = user_text;
	memcpy(texts + count, options->list, options->count * sizeof(texts[0]));
	srt_texts_hash(recipe, texts, count + options->count);
	/* Kernels that are loaded side by side have different names: profilers and debuggers go by them. */
	snprintf(entry, 40, "scan_%.16s", recipe);
}

int srt_image_recipe(char recipe[SRT_HASH_TEXT], char entry[40], const struct srt_problem *problem,
	const struct srt_variant *variant, int capability)
{
	struct srt_options options;
	char arch[16];
	int status;

	status = srt_variant_check(variant, problem, NULL);
	if (status)
		return status;
	if (capability < srt_strategy_find(variant->strategy)->least_capability)
		return srt_fail(SCANRT_ERROR_VARIANT, "strategy %s does not exist on sm_%d",
			srt_strategy_name(variant->strategy), capability);
	snprintf(arch, sizeof(arch), "sm_%d", capability);
	srt_options_make(&options, problem, variant, arch, NULL);
	srt_recipe_make(recipe, entry, srt_source_hash(), problem->user ? problem->user->text : NULL, &options);
	return SCANRT_OK;
}

void srt_key_make(char key[SRT_HASH_TEXT], const char *recipe, const char *toolchain, const char *codegen,
	const char *arch)
{
	const char *texts[] = { recipe, toolchain, codegen, arch };

	srt_texts_hash(key, texts, sizeof(texts) / sizeof(texts[0]));
}
