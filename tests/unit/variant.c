/* SPDX-License-Identifier: MIT */
#include "variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/abi.h"
#include "status.h"
#include "strategy.h"
#include "tests/tap.h"

/* The numbers of an H200. */
static const struct srt_device h200 = {
	.capability = 90, .sm_count = 132, .shared_per_sm = 233472, .shared_per_block = 232448,
	.registers_per_sm = 65536,
	.threads_per_sm = 2048, .threads_per_block = 1024, .blocks_per_sm = 32, .reserved_shared_per_block = 1024,
	.has_clusters = 1,
};

static struct srt_variant parsed(const char *text)
{
	struct srt_variant variant = { 0 };

	if (srt_variant_parse(&variant, text) != SCANRT_OK)
		tap_bail_out("the variant '%s' of a test does not parse: %s", text, srt_error_last()->text);
	return variant;
}

static struct srt_problem problem_of(int type)
{
	struct srt_problem problem;

	if (srt_problem_init_simple(&problem, type, SCANRT_SUM) != SCANRT_OK)
		tap_bail_out("no sum of type %d", type);
	return problem;
}

static void is_canonical(const char *text, const char *wanted)
{
	struct srt_variant variant = parsed(text);
	struct srt_strbuf seen = { 0 };

	srt_variant_format(&seen, &variant);
	tap_is_string(srt_strbuf_text(&seen), wanted, "'%s' has the canonical text '%s'", text, wanted);
	srt_strbuf_free(&seen);
}

static void test_texts(void)
{
	struct srt_variant variant = parsed("lookahead,block=384,items=24,stages=6,ahead=4");

	tap_ok(variant.strategy == SRT_LOOKAHEAD && variant.block == 384 && variant.items == 24 && variant.stages == 6
		&& variant.ahead == 4, "the knobs of a text have its values");
	tap_ok(variant.warp_scan == SRT_WARP_SHUFFLE && variant.load == SRT_ACCESS_STREAM
		&& variant.store == SRT_ACCESS_STREAM && variant.residency == 1 && variant.gather == 4,
		"the knobs that it leaves out have their defaults");
	variant = parsed("lookback");
	tap_ok(variant.stages == 0 && variant.ahead == 0 && variant.gather == 0,
		"knobs that a strategy does not have are 0");
	tap_is_int(variant.residency, 2, "a default may depend on the strategy");

	is_canonical("lookahead,block=384,items=24,stages=6,ahead=4", "lookahead,block=384,items=24,stages=6,ahead=4");
	is_canonical("block", "block");
	is_canonical("block,block=256,items=16,residency=1", "block");
	is_canonical("lookback,residency=2,store=plain,load=plain,warp=shared,block=0032",
		"lookback,block=32,warp=shared,load=plain,store=plain");
	is_canonical("lookback,fan=4,circuit=raking", "lookback,circuit=raking,fan=4");
	is_canonical("block,fan=8,circuit=warps", "block");
	is_canonical("lookahead,gather=8,ahead=1,items=4", "lookahead,items=4,ahead=1,gather=8");
}

/* Every value of every knob of every strategy, one at a time. */
static void test_round_trips(void)
{
	const struct srt_knob *knob;
	struct srt_strbuf text = { 0 };
	struct srt_variant variant;
	struct srt_variant again;
	int strategy;
	int tried = 0;
	int i;
	int value;

	for (i = 0; (strategy = srt_strategy_at(i)) != 0; i++)
		for (knob = srt_knobs; knob->name; knob++)
			for (value = knob->least; value <= knob->most; value++) {
				srt_variant_init(&variant, (enum srt_strategy)strategy);
				if (srt_knob_get(knob, &variant) == 0 || value % knob->step)
					continue;
				srt_knob_set(knob, &variant, value);
				srt_strbuf_clear(&text);
				srt_variant_format(&text, &variant);
				memset(&again, 0x5a, sizeof(again));
				tried++;
				if (srt_variant_parse(&again, text.text) == SCANRT_OK
					&& memcmp(&again, &variant, sizeof(again)) == 0)
					continue;
				tap_case("variant %s", text.text);
				tap_ok(false, "a formatted variant parses back");
				tap_case("%s", "");
			}
	tap_ok(tried > 900, "all %d variants with one knob off its default were formatted and parsed back", tried);
	srt_strbuf_free(&text);
}

/* Of those values that a text names: not the default. */
static int longest_value(const struct srt_knob *knob, int usual)
{
	int longest = knob->least == usual ? knob->most : knob->least;
	int value;

	for (value = knob->least; knob->values && value <= knob->most; value++)
		if (value != usual
			&& strlen(knob->values[value - knob->least]) > strlen(knob->values[longest - knob->least]))
			longest = value;
	return knob->values ? longest : knob->most;
}

static void test_longest_text(void)
{
	const struct srt_knob *knob;
	struct srt_strbuf text = { 0 };
	struct srt_variant variant;
	size_t longest = 0;
	int strategy;
	int i;

	for (i = 0; (strategy = srt_strategy_at(i)) != 0; i++) {
		srt_variant_init(&variant, (enum srt_strategy)strategy);
		for (knob = srt_knobs; knob->name; knob++)
			if (srt_knob_get(knob, &variant) != 0)
				srt_knob_set(knob, &variant, longest_value(knob, srt_knob_get(knob, &variant)));
		srt_strbuf_clear(&text);
		srt_variant_format(&text, &variant);
		tap_diag("%s", text.text);
		longest = text.length > longest ? text.length : longest;
	}
	tap_ok(longest > 100 && longest < SRT_VARIANT_TEXT_SIZE,
		"the longest text, of %zu characters, fits where texts are kept", longest);
	srt_strbuf_free(&text);
}

static void test_refused_texts(void)
{
	static const char *const texts[] = {
		"", "Block", "lookbac", "lookbackk", "block,", ",block", "block,,items=4", "block items=4", " block",
		"block ",
		"block,items", "block,items=", "block,items=x", "block,items=4x", "block,items= 4", "block,items=+4",
		"block,items=-4", "block,items=0x4", "block,items=4.0", "block,items=0", "block,items=257",
		"block,items=99999999999999999999", "block,items=4294967300", "block,block=31", "block,block=48",
		"block,block=1056", "block,block=0", "block,items=4,items=4", "block,item=4", "block,ITEMS=4",
		"block,=4",
		"block,stages=4", "block,stages=0", "lookback,ahead=2", "lookback,gather=1", "lookahead,stages=1",
		"lookahead,stages=17", "lookahead,ahead=0", "lookahead,gather=9", "lookahead,teams=3", "block,teams=1",
		"block,warp=1", "block,warp=Shared",
		"block,warp=", "block,load=cached", "block,store=stream,store=stream", "block,residency=0",
		"block,residency=33", "block,circuit=1", "block,circuit=brent", "block,fan=1", "block,fan=33",
		"lookahead,circuit=warps", "lookahead,fan=8", "fans", "reduce,partials=8",
		"reduce-fixed,partials=4", "reduce-fixed,partials=12", "reduce-fixed,partials=8192", "fan,stages=2",
		"block=256", "block;items=4", "block,items=4\n", "block\n",
	};
	struct srt_variant variant;
	struct srt_variant before;
	char longer[1000];
	size_t i;

	memset(&variant, 0x5a, sizeof(variant));
	before = variant;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		srt_error_clear();
		tap_is_int(srt_variant_parse(&variant, texts[i]), SCANRT_ERROR_VARIANT, "the text '%s' is refused",
			texts[i]);
		tap_ok(srt_error_last()->text[0] != '\0', "its refusal has a sentence: %s", srt_error_last()->text);
	}
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	tap_is_int(srt_variant_parse(&variant, longer), SCANRT_ERROR_VARIANT, "a text of 999 characters is refused");
	tap_is_int(srt_variant_parse(&variant, NULL), SCANRT_ERROR_NULL_POINTER, "no text is refused");
	srt_variant_parse(&variant, "lookahed");
	tap_contains(srt_error_last()->text, "there are block, lookback", "who misspells a strategy is told all");
	srt_variant_parse(&variant, "totals,blok=32");
	tap_contains(srt_error_last()->text, "totals has block, items, warp", "who misspells a knob, the strategy's");
	srt_variant_parse(&variant, "block,store=plane");
	tap_contains(srt_error_last()->text, "there are plain, stream", "who misspells a value, all of the knob");
	tap_is_bytes(&variant, &before, sizeof(variant), "a refused text changes nothing");
}

static void checks(int wanted, const char *text, int type, const struct srt_device *device, const char *part)
{
	struct srt_variant variant = parsed(text);
	struct srt_problem problem = problem_of(type);

	srt_error_clear();
	tap_is_int(srt_variant_check(&variant, &problem, device), wanted, "%s of %s %s", text, srt_type_name(type),
		wanted ? "is refused" : "is taken");
	if (wanted)
		tap_contains(srt_error_last()->text, part, "the refusal of %s names %s", text, part);
}

static void test_limits(void)
{
	struct srt_device small = h200;

	checks(SCANRT_OK, "block", SCANRT_I8, &h200, "");
	checks(SCANRT_ERROR_VARIANT, "block,items=24", SCANRT_I8, &h200, "items=24");
	checks(SCANRT_OK, "block,items=24", SCANRT_I16, &h200, "");
	checks(SCANRT_OK, "block,items=1", SCANRT_I8, &h200, "");
	checks(SCANRT_OK, "block,items=8", SCANRT_I8, &h200, "");
	checks(SCANRT_ERROR_VARIANT, "block,items=3", SCANRT_I8, &h200, "items=3");
	checks(SCANRT_ERROR_VARIANT, "block,items=6", SCANRT_F32, &h200, "items=6");
	checks(SCANRT_OK, "block,items=6", SCANRT_I64, &h200, "");
	checks(SCANRT_ERROR_VARIANT, "lookahead,ahead=4", SCANRT_I32, NULL, "ahead=4");
	checks(SCANRT_OK, "lookahead,ahead=3", SCANRT_I32, NULL, "");

	checks(SCANRT_OK, "block,block=1024", SCANRT_I32, &h200, "");
	checks(SCANRT_ERROR_VARIANT, "lookahead,block=960,items=4", SCANRT_I32, &h200, "block=960");
	checks(SCANRT_OK, "lookahead,block=928,items=4", SCANRT_I32, &h200, "");
	small.threads_per_block = 512;
	checks(SCANRT_ERROR_VARIANT, "block,block=544", SCANRT_I32, &small, "block=544");
	small.threads_per_block = 0;
	checks(SCANRT_OK, "block,block=1024", SCANRT_I32, &small, "");
	checks(SCANRT_OK, "lookback,block=1024,residency=2", SCANRT_I32, &h200, "");
	checks(SCANRT_ERROR_VARIANT, "lookback,block=1024,residency=3", SCANRT_I32, &h200, "residency=3");
	small = h200;
	small.blocks_per_sm = 16;
	checks(SCANRT_ERROR_VARIANT, "lookback,block=32,residency=17", SCANRT_I32, &small, "residency=17");

	/* 384 x 24 x 4 bytes and a slack of 128 are 36 992 a stage: six fit into 227 KB, seven do not. */
	checks(SCANRT_OK, "lookahead,block=384,items=24,stages=6,ahead=4", SCANRT_I32, &h200, "");
	checks(SCANRT_ERROR_VARIANT, "lookahead,block=384,items=24,stages=7", SCANRT_I32, &h200, "stages=7");
	checks(SCANRT_OK, "lookahead,block=384,items=24,stages=7", SCANRT_I32, NULL, "");
	checks(SCANRT_ERROR_VARIANT, "lookahead,block=384,items=24,stages=6,residency=2", SCANRT_I32, &h200,
		"residency=2");
	small = h200;
	small.shared_per_block = 0;
	checks(SCANRT_ERROR_VARIANT, "lookahead,block=256,items=16,stages=4", SCANRT_I32, &small, "shared memory");
	checks(SCANRT_OK, "lookahead,block=256,items=8,stages=3", SCANRT_I32, &small, "");
}

static void test_circuits(void)
{
	checks(SCANRT_OK, "block,circuit=raking,fan=32", SCANRT_I32, &h200, "");
	checks(SCANRT_ERROR_VARIANT, "block,circuit=koggestone,fan=4", SCANRT_I32, NULL, "fan=4");
	checks(SCANRT_ERROR_VARIANT, "lookback,circuit=brentkung,warp=shared", SCANRT_I32, NULL, "warp=shared");
	/* A value of 8 bytes for each of 1024 x 6 vectors of two elements is 48 KB, and there is the rest. */
	checks(SCANRT_OK, "block,block=1024,items=10,circuit=koggestone", SCANRT_I64, NULL, "");
	checks(SCANRT_ERROR_VARIANT, "block,block=1024,items=12,circuit=koggestone", SCANRT_I64, NULL, "block=1024");
	checks(SCANRT_OK, "block,block=992,items=12,circuit=brentkung-inplace", SCANRT_I64, &h200, "");
	checks(SCANRT_ERROR_VARIANT, "block,block=512,items=12,circuit=brentkung", SCANRT_I64, NULL, "block=512");
	checks(SCANRT_OK, "block,block=480,items=12,circuit=brentkung", SCANRT_I64, NULL, "");
	checks(SCANRT_ERROR_VARIANT, "block,block=512,items=12,circuit=raking,fan=2", SCANRT_I64, NULL, "items=12");
	checks(SCANRT_OK, "block,block=512,items=16,circuit=raking", SCANRT_I64, NULL, "");
}

static void test_programmed_variants(void)
{
	struct srt_problem problem = problem_of(SCANRT_I32);
	struct srt_variant variant;

	srt_variant_init(&variant, SRT_BLOCK);
	variant.stages = 4;
	tap_is_int(srt_variant_check(&variant, &problem, NULL), SCANRT_ERROR_VARIANT,
		"a knob that the strategy does not have is refused in a structure too");
	variant.stages = 0;
	variant.block = 100;
	tap_is_int(srt_variant_check(&variant, &problem, NULL), SCANRT_ERROR_VARIANT,
		"a block that is no multiple of a warp is refused");
	variant.block = -32;
	tap_is_int(srt_variant_check(&variant, &problem, NULL), SCANRT_ERROR_VARIANT, "a negative knob is refused");
	variant.block = 128;
	variant.strategy = 0;
	tap_is_int(srt_variant_check(&variant, &problem, NULL), SCANRT_ERROR_VARIANT, "an unknown strategy is refused");
}

static void test_sizes(void)
{
	struct srt_variant block = parsed("block,block=128,items=8");
	struct srt_variant back = parsed("lookback,block=128,items=8");
	struct srt_variant ahead = parsed("lookahead,block=384,items=24,stages=6,ahead=4");
	struct srt_problem narrow = problem_of(SCANRT_I8);
	struct srt_problem wide = problem_of(SCANRT_F64);
	struct srt_problem mixed = problem_of(SCANRT_I8);

	mixed.accumulator_type = SCANRT_I64;
	mixed.output_type = SCANRT_I32;
	tap_is_int(srt_problem_vector(&narrow), 16, "a thread moves 16 elements of 1 byte at once");
	tap_is_int(srt_problem_vector(&wide), 2, "a thread moves 2 elements of 8 bytes at once");
	tap_is_int(srt_problem_vector(&mixed), 4, "the wider of input and output counts");
	tap_is_uint(srt_problem_tile_words(&narrow), 1, "an accumulator of 1 byte has one word of state a tile");
	tap_is_uint(srt_problem_tile_words(&mixed), 2, "an accumulator of 8 bytes has two");

	tap_is_uint(srt_variant_tile(&ahead), 9216, "a tile has block x items elements");
	tap_is_uint(srt_variant_threads(&back), 128, "look-back has no more threads than scan");
	tap_is_uint(srt_variant_threads(&ahead), 480, "look-ahead has three warps more");
	tap_is_uint(srt_variant_shared_bytes(&back, &narrow), 0, "look-back takes no dynamic shared memory");
	tap_is_uint(srt_variant_shared_bytes(&ahead, &narrow), 6 * 9472,
		"look-ahead takes a tile of the input, a line and a vector more, and what aligns it, for each stage");
	tap_is_uint(srt_variant_shared_bytes(&ahead, &mixed), 6 * 9472, "neither accumulator nor output counts for it");

	tap_is_uint(srt_variant_max_count(&block), 1024, "block scans one tile");
	tap_ok(srt_variant_max_count(&back) > UINT64_C(1) << 40, "look-back scans more than 2^40 elements");
	tap_is_uint(srt_variant_workspace(&block, &wide, 1024), 0, "block has no state");
	tap_is_uint(srt_variant_workspace(&back, &narrow, 1024), SCAN_CONTROL_BYTES + 8, "one tile has one word");
	tap_is_uint(srt_variant_workspace(&back, &narrow, 1025), SCAN_CONTROL_BYTES + 16, "one element more has two");
	tap_is_uint(srt_variant_workspace(&back, &wide, UINT64_C(1) << 33), SCAN_CONTROL_BYTES + (UINT64_C(16) << 23),
		"B001: a count beyond 2^32 has its words counted in 64 bits");
	tap_is_uint(srt_variant_workspace(&back, &wide, UINT64_MAX), SCAN_CONTROL_BYTES + UINT64_C(16) * 0x7fffffff,
		"a count that no launch could take asks for no more than the largest launch");
}

static void test_clusters(void)
{
	struct srt_variant variant = parsed("cluster,block=128,items=8");
	struct srt_problem problem = problem_of(SCANRT_I32);
	struct srt_device older = h200;

	tap_is_uint(srt_variant_max_count(&variant), 8192,
		"cluster scans a tile for each of its blocks, of which there are eight where nothing is said");
	tap_is_uint(srt_variant_workspace(&variant, &problem, 8192), 0, "cluster has no state");
	tap_is_int(srt_variant_check(&variant, &problem, &h200), SCANRT_OK, "clusters are for compute capability 9.0");
	older.capability = 89;
	tap_is_int(srt_variant_check(&variant, &problem, &older), SCANRT_ERROR_VARIANT, "and not for 8.9");
	tap_contains(srt_error_last()->text, "needs compute capability 9.0, and the device has 8.9",
		"which the message says");
	older = h200;
	older.has_clusters = 0;
	tap_is_int(srt_variant_check(&variant, &problem, &older), SCANRT_ERROR_VARIANT,
		"a device that says it has no clusters is believed");
	variant.cluster = 6;
	tap_is_int(srt_variant_check(&variant, &problem, NULL), SCANRT_ERROR_VARIANT, "a cluster is a power of two");
}

/* Any strategy that has the knob. */
static int default_somewhere(const struct srt_knob *knob)
{
	int strategy;
	int i;

	for (i = 0; (strategy = srt_strategy_at(i)) != 0; i++)
		if (srt_knob_default(knob, strategy) != 0)
			return srt_knob_default(knob, strategy);
	return 0;
}

static void write_names(char *row, size_t size, const struct srt_knob *knob)
{
	size_t used = (size_t)snprintf(row, size, ".It Cm %s Ta ", knob->name);
	int value;

	for (value = knob->least; value <= knob->most; value++)
		used += (size_t)snprintf(row + used, size - used, "%s%s", value > knob->least ? ", " : "",
			knob->values[value - knob->least]);
	snprintf(row + used, size - used, " Ta %s Ta", knob->values[default_somewhere(knob) - knob->least]);
}

/* Docs move with code: the page has each knob's row, with its range or the names of its values. */
static void test_manual(void)
{
	const char *top = getenv("top_srcdir");
	const struct srt_knob *knob;
	char page[16384];
	char row[128];
	size_t length;
	FILE *file;

	snprintf(page, sizeof(page), "%s/man/scanrt-variant.5", top ? top : ".");
	file = fopen(page, "r");
	if (!file)
		tap_bail_out("no %s", page);
	length = fread(page, 1, sizeof(page) - 1, file);
	page[length] = '\0';
	fclose(file);
	for (knob = srt_knobs; knob->name; knob++) {
		if (knob->values)
			write_names(row, sizeof(row), knob);
		else
			snprintf(row, sizeof(row), ".It Cm %s Ta %d to %d Ta ", knob->name, knob->least, knob->most);
		tap_contains(page, row, "scanrt-variant(5) has the knob %s as it is", knob->name);
	}
}

int main(void)
{
	tap_plan(0);
	test_texts();
	test_round_trips();
	test_longest_text();
	test_refused_texts();
	test_limits();
	test_circuits();
	test_programmed_variants();
	test_sizes();
	test_clusters();
	test_manual();
	return tap_done();
}
