/* SPDX-License-Identifier: MIT
 *
 * Recipes and keys: everything that changes a kernel changes its name.
 */
#include "recipe.h"

#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "strategy.h"
#include "tests/tap.h"

#define MOST_RECIPES 16384

/* Recipes seen so far, each with what it is of. */
static char (*recipes)[SRT_HASH_TEXT];
static char (*labels)[320];
static int recipe_count;

static void start(void)
{
	recipes = calloc(MOST_RECIPES, sizeof(*recipes));
	labels = calloc(MOST_RECIPES, sizeof(*labels));
	if (!recipes || !labels)
		tap_bail_out("no memory for %d recipes", MOST_RECIPES);
}

static void collect(const struct srt_problem *problem, const struct srt_variant *variant, int capability)
{
	struct srt_strbuf text = { 0 };
	char entry[40];

	if (recipe_count == MOST_RECIPES)
		tap_bail_out("more than %d recipes", MOST_RECIPES);
	srt_problem_format(&text, problem, true);
	srt_strbuf_append(&text, " ");
	srt_variant_format(&text, variant);
	srt_strbuf_printf(&text, " sm_%d", capability);
	if (srt_image_recipe(recipes[recipe_count], entry, problem, variant, capability) != SCANRT_OK)
		tap_bail_out("no recipe of %s: %s", srt_strbuf_text(&text), srt_error_last()->text);
	strncpy(labels[recipe_count], srt_strbuf_text(&text), sizeof(labels[0]) - 1);
	recipe_count++;
	srt_strbuf_free(&text);
}

static int count_clashes(void)
{
	int clashes = 0;
	int i;
	int j;

	for (i = 0; i < recipe_count; i++)
		for (j = 0; j < i; j++)
			if (strcmp(recipes[i], recipes[j]) == 0 && clashes++ < 5)
				tap_diag("one recipe for '%s' and '%s'", labels[j], labels[i]);
	return clashes;
}

/* Every combination of types that the operator takes, with every mode: the attributes in all their pairs. */
static void collect_problems(const struct srt_variant *variant)
{
	struct srt_problem problem;
	int input;
	int output;
	int mode;

	for (input = 0; srt_type_at(input); input++)
		for (output = 0; srt_type_at(output); output++)
			for (mode = 0; mode < 4; mode++) {
				srt_problem_init_simple(&problem, srt_type_at(input), SCANRT_SUM);
				problem.output_type = srt_type_at(output);
				problem.is_exclusive = mode & 1;
				problem.has_initial = mode & 2;
				collect(&problem, variant, 90);
				problem.accumulator_type =
					problem.accumulator_type == SCANRT_F64 ? SCANRT_U64 : SCANRT_F64;
				collect(&problem, variant, 90);
			}
}

static void collect_operators(const struct srt_variant *variant)
{
	static const int others[] = { SCANRT_PROD, SCANRT_MIN, SCANRT_MAX, SCANRT_AND, SCANRT_OR, SCANRT_XOR,
		SRT_OP_LAST, SRT_OP_AFFINE };
	struct srt_problem problem;
	size_t op;
	int type;

	for (op = 0; op < sizeof(others) / sizeof(others[0]); op++)
		for (type = 0; srt_type_at(type); type++)
			if (srt_problem_init_simple(&problem, srt_type_at(type), others[op]) == SCANRT_OK)
				collect(&problem, variant, 90);
}

/* Each knob at every value that it may have beside the others' defaults, and pairs of knobs off their defaults. */
static void collect_variants(const struct srt_problem *problem)
{
	const struct srt_knob *first;
	const struct srt_knob *second;
	struct srt_variant variant;
	int strategy;
	int i;

	for (i = 0; (strategy = srt_strategy_at(i)) != 0; i++)
		for (first = srt_knobs; first->name; first++)
			for (second = srt_knobs; second < first; second++) {
				srt_variant_init(&variant, (enum srt_strategy)strategy);
				if (srt_knob_get(first, &variant) == 0 || srt_knob_get(second, &variant) == 0)
					continue;
				srt_knob_set(first, &variant, srt_knob_get(first, &variant) == 1 ? 2 : 1);
				if (first->step == 1 && strcmp(first->name, "items") == 0)
					srt_knob_set(first, &variant, 32);
				srt_knob_set(second, &variant, strcmp(second->name, "block") == 0 ? 512
					: strcmp(second->name, "items") == 0 ? 48
					: strcmp(second->name, "stages") == 0 ? 5
					: srt_knob_get(second, &variant) == 1 ? 2 : 1);
				if (srt_variant_check(&variant, problem, NULL) == SCANRT_OK)
					collect(problem, &variant, 90);
			}
}

static void collect_single_knobs(const struct srt_problem *problem)
{
	const struct srt_knob *knob;
	struct srt_variant variant;
	int strategy;
	int i;
	int value;

	for (i = 0; (strategy = srt_strategy_at(i)) != 0; i++)
		for (knob = srt_knobs; knob->name; knob++)
			for (value = knob->least; value <= knob->most; value++) {
				srt_variant_init(&variant, (enum srt_strategy)strategy);
				/* The defaults are met once, with the architectures. */
				if (value == srt_knob_get(knob, &variant))
					continue;
				srt_knob_set(knob, &variant, value);
				if (srt_variant_check(&variant, problem, NULL) == SCANRT_OK)
					collect(problem, &variant, 90);
			}
}

static void test_distinct_recipes(void)
{
	static const int capabilities[] = { 75, 80, 86, 87, 88, 89, 100, 103, 110, 120, 121 };
	struct srt_problem problem;
	struct srt_variant variant;
	size_t i;
	int single;

	srt_variant_init(&variant, SRT_LOOKBACK);
	collect_problems(&variant);
	collect_operators(&variant);
	srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM);
	for (i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
		collect(&problem, &variant, capabilities[i]);
	single = recipe_count;
	collect_single_knobs(&problem);
	tap_ok(recipe_count - single > 300, "%d variants with one knob off its default have a recipe",
		recipe_count - single);
	single = recipe_count;
	collect_variants(&problem);
	tap_ok(recipe_count - single > 40, "%d variants with two knobs off their defaults have a recipe",
		recipe_count - single);
	tap_is_int(count_clashes(), 0,
		"B05B: %d problems, variants and architectures that differ in any attribute have as many "
		"recipes", recipe_count);
}

static void test_same_recipe(void)
{
	struct srt_problem problem;
	struct srt_variant variant;
	char recipe[2][SRT_HASH_TEXT];
	char entry[2][40];

	srt_problem_init_simple(&problem, SCANRT_F32, SCANRT_MAX);
	srt_variant_init(&variant, SRT_LOOKAHEAD);
	srt_image_recipe(recipe[0], entry[0], &problem, &variant, 90);
	problem.max_count = 1000;
	problem.initial[0] = 1;
	srt_image_recipe(recipe[1], entry[1], &problem, &variant, 90);
	tap_is_string(recipe[1], recipe[0], "B123: a recipe is of inputs alone: the same twice");
	tap_is_string(entry[1], entry[0], "so is the entry's name");
	tap_is_uint(strlen(recipe[0]), 32, "a recipe has 32 digits");
	tap_is_uint(strspn(recipe[0], "0123456789abcdef"), 32, "all of them hexadecimal");
	tap_ok(strncmp(entry[0], "scan_", 5) == 0 && strncmp(entry[0] + 5, recipe[0], 16) == 0 && entry[0][21] == '\0',
		"B127: the entry's name has 16 digits of the recipe, and so is the kernel's own");
	setenv("SCANRT_COUNT_APPLIES", "0", 1);
	srt_image_recipe(recipe[1], entry[1], &problem, &variant, 90);
	tap_is_string(recipe[1], recipe[0], "so it is where no applications are counted");
	setenv("SCANRT_COUNT_APPLIES", "1", 1);
	srt_image_recipe(recipe[1], entry[1], &problem, &variant, 90);
	unsetenv("SCANRT_COUNT_APPLIES");
	tap_ok(strcmp(recipe[1], recipe[0]) != 0, "a kernel that counts applications has another recipe");
	variant.ahead = variant.stages;
	tap_is_int(srt_image_recipe(recipe[1], entry[1], &problem, &variant, 90), SCANRT_ERROR_VARIANT,
		"a variant that cannot run has no recipe");
}

/* ---- Bytes ---- */

static void hash_of(char hash[SRT_HASH_TEXT], const char *name, const char *text, size_t length)
{
	const struct srt_source sources[] = { { "other.cuh", "int other;\n", 11 }, { name, text, length },
		{ NULL, NULL, 0 } };

	srt_sources_hash(hash, sources);
}

static void test_source_bytes(void)
{
	char text[] = "#include \"other.cuh\"\n// a comment counts too\nint x;\n";
	char name[] = "scan.cu";
	char plain[SRT_HASH_TEXT];
	char seen[SRT_HASH_TEXT];
	size_t missed = 0;
	size_t i;

	hash_of(plain, name, text, strlen(text));
	for (i = 0; i < 8 * strlen(text); i++) {
		text[i / 8] ^= (char)(1 << i % 8);
		hash_of(seen, name, text, sizeof(text) - 1);
		missed += strcmp(seen, plain) == 0;
		text[i / 8] ^= (char)(1 << i % 8);
	}
	tap_is_uint(missed, 0, "every bit of a source's text changes the hash");
	for (i = 0; i < strlen(name); i++) {
		name[i] ^= 1;
		hash_of(seen, name, text, strlen(text));
		missed += strcmp(seen, plain) == 0;
		name[i] ^= 1;
	}
	tap_is_uint(missed, 0, "every character of a source's name changes the hash");
	hash_of(seen, name, text, strlen(text) - 1);
	tap_ok(strcmp(seen, plain) != 0, "a source that is shorter by a byte changes the hash");
	hash_of(seen, name, text, strlen(text));
	tap_is_string(seen, plain, "the same sources have the same hash");
}

static void test_source_lists(void)
{
	static const struct srt_source apart[] = { { "a", "bc", 2 }, { "d", "e", 1 }, { NULL, NULL, 0 } };
	static const struct srt_source moved[] = { { "ab", "c", 1 }, { "d", "e", 1 }, { NULL, NULL, 0 } };
	static const struct srt_source swapped[] = { { "d", "e", 1 }, { "a", "bc", 2 }, { NULL, NULL, 0 } };
	static const struct srt_source fewer[] = { { "a", "bc", 2 }, { NULL, NULL, 0 } };
	char hash[4][SRT_HASH_TEXT];

	srt_sources_hash(hash[0], apart);
	srt_sources_hash(hash[1], moved);
	srt_sources_hash(hash[2], swapped);
	srt_sources_hash(hash[3], fewer);
	tap_ok(strcmp(hash[0], hash[1]) != 0, "a byte that moves from a text to a name changes the hash");
	tap_ok(strcmp(hash[0], hash[2]) != 0, "the order of the sources changes the hash");
	tap_ok(strcmp(hash[0], hash[3]) != 0, "a source that is left out changes the hash");
	tap_is_string(srt_source_hash(), srt_source_hash(), "the library's own sources have one hash");
	tap_is_uint(strlen(srt_source_hash()), 32, "it has 32 digits");
}

static void test_option_bytes(void)
{
	struct srt_options options;
	struct srt_problem problem;
	struct srt_variant variant;
	char plain[SRT_HASH_TEXT];
	char seen[SRT_HASH_TEXT];
	char entry[40];
	size_t missed = 0;
	size_t flips = 0;
	size_t i;
	size_t j;

	srt_problem_init_simple(&problem, SCANRT_I16, SCANRT_XOR);
	srt_variant_init(&variant, SRT_LOOKAHEAD);
	srt_options_make(&options, &problem, &variant, "sm_90", NULL);
	srt_recipe_make(plain, entry, srt_source_hash(), NULL, &options);
	for (i = 0; i < options.count; i++)
		for (j = 0; j < strlen(options.list[i]); j++, flips++) {
			options.text[i][j] ^= 1;
			srt_recipe_make(seen, entry, srt_source_hash(), NULL, &options);
			missed += strcmp(seen, plain) == 0;
			options.text[i][j] ^= 1;
		}
	tap_ok(missed == 0 && flips > 300, "each of the %zu characters of the options changes the recipe", flips);
	srt_recipe_make(seen, entry, "another hash of sources", NULL, &options);
	tap_ok(strcmp(seen, plain) != 0, "the hash of the sources changes the recipe");
	options.count--;
	srt_recipe_make(seen, entry, srt_source_hash(), NULL, &options);
	tap_ok(strcmp(seen, plain) != 0, "an option that is left out changes the recipe");
}

static void test_options(void)
{
	static const char *const wanted[] = { "--gpu-architecture=sm_90", "--std=c++17",
		"--device-as-default-execution-space",
		"-DSCAN_ENTRY=scan_0", "-DSCAN_INPUT=i8", "-DSCAN_ACCUMULATOR=i64", "-DSCAN_OUTPUT=i32",
		"-DSCAN_OPERATOR=sum",
		"-DSCAN_EXCLUSIVE=1", "-DSCAN_INITIAL=1", "-DSCAN_STRATEGY=3", "-DSCAN_PHASES=1",
		"-DSCAN_FILE=\"lookahead.cuh\"",
		"-DSCAN_BLOCK=384", "-DSCAN_ITEMS=24", "-DSCAN_LANES=0",
		"-DSCAN_WARP_SCAN=1", "-DSCAN_CIRCUIT=0", "-DSCAN_FAN=0", "-DSCAN_LOAD=2", "-DSCAN_STORE=2",
		"-DSCAN_RESIDENCY=1", "-DSCAN_STAGES=6", "-DSCAN_AHEAD=4", "-DSCAN_GATHER=4", "-DSCAN_TEAMS=1",
		"-DSCAN_CLUSTER=0", "-DSCAN_EXCHANGE=0", "-DSCAN_PARTIALS=0", "-DSCAN_TILE=9216", "-DSCAN_VECTOR=4",
		"-DSCAN_TILE_WORDS=2", "-DSCAN_SHARED_BYTES=56832" };
	struct srt_problem problem;
	struct srt_variant variant;
	struct srt_options options;
	size_t i;

	srt_problem_init_simple(&problem, SCANRT_I8, SCANRT_SUM);
	problem.accumulator_type = SCANRT_I64;
	problem.output_type = SCANRT_I32;
	problem.is_exclusive = problem.has_initial = true;
	srt_variant_parse(&variant, "lookahead,block=384,items=24,stages=6,ahead=4");
	srt_options_make(&options, &problem, &variant, "sm_90", "scan_0");
	tap_is_uint(options.count, sizeof(wanted) / sizeof(wanted[0]), "a kernel has %zu options", options.count);
	for (i = 0; i < options.count && i < sizeof(wanted) / sizeof(wanted[0]); i++)
		tap_is_string(options.list[i], wanted[i], "option %zu is as the kernels expect it", i);
	for (i = 0; i < options.count; i++)
		tap_lacks(options.list[i], "pch",
			"B125: option %zu asks for no precompiled header, which processes share", i);
}

static void test_keys(void)
{
	static const char *const parts[][4] = {
		{ "r", "nvrtc 13.0 build a", "sass", "sm_90" }, { "s", "nvrtc 13.0 build a", "sass", "sm_90" },
		{ "r", "nvrtc 13.0 build b", "sass", "sm_90" }, { "r", "nvrtc 13.1 build a", "sass", "sm_90" },
		{ "r", "nvrtc 13.0 build a", "ptx", "sm_90" }, { "r", "nvrtc 13.0 build a", "sass", "sm_100" },
		{ "rn", "vrtc 13.0 build a", "sass", "sm_90" },
	};
	char keys[7][SRT_HASH_TEXT];
	bool are_distinct = true;
	int i;
	int j;

	for (i = 0; i < 7; i++) {
		srt_key_make(keys[i], parts[i][0], parts[i][1], parts[i][2], parts[i][3]);
		for (j = 0; j < i; j++)
			are_distinct = are_distinct && strcmp(keys[i], keys[j]) != 0;
	}
	tap_ok(are_distinct, "recipe, compiler, its build, the way and the architecture each change an image's key");
}

int main(void)
{
	tap_plan(0);
	start();
	test_distinct_recipes();
	test_same_recipe();
	test_source_bytes();
	test_source_lists();
	test_option_bytes();
	test_options();
	test_keys();
	free(recipes);
	free(labels);
	return tap_done();
}
