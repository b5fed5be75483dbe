/* SPDX-License-Identifier: MIT
 *
 * The race on an invented machine: variants whose true times are known, and a clock that scatters.  An argument sets
 * the first seed.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../tuner/knockout.h"
#include "../../tuner/data.h"
#include "tap.h"

#define VARIANTS 48
#define SEEDS    100
#define FIRST    5     /* samples before the race, as the tuner takes them */
#define NEAR     1.02  /* times the true best: good enough */
#define TIE      1.05  /* a tie with a default that is slower than this is no tie */

struct machine {
	double us[VARIANTS];   /* the truth */
	double noise;          /* +- of each sample */
	double drift;          /* +- of all samples, slowly, as of a clock that warms up */
	double outliers;       /* how many samples take three times as long */
	int fails;             /* the entry whose next sample in the finals fails; -1: none */
	double luck;           /* +- of each entry's times in one process, say by where its arrays lie */
	double lucky[VARIANTS];
	int samples;
	uint64_t random;
	struct tune_values values[VARIANTS];
	struct tune_entry entries[VARIANTS];
	struct tune_knockout knockout;
	struct tune_decision decision;
};

static double uniform(uint64_t *random)
{
	return (double)(tune_random(random) >> 11) * 0x1p-53;
}

static double sample_one(struct machine *machine, size_t entry)
{
	double us = machine->us[entry];

	us *= 1 + machine->noise * (2 * uniform(&machine->random) - 1);
	us *= 1 + machine->lucky[entry];
	us *= 1 + machine->drift * sin(machine->samples++ / 400.0);
	return uniform(&machine->random) < machine->outliers ? 3 * us : us;
}

static int take(void *user, size_t entry, double *us, int samples)
{
	struct machine *machine = user;

	if ((int)entry == machine->fails && samples == 1)
		return -1;
	for (int i = 0; i < samples; i++)
		us[i] = sample_one(machine, entry);
	return samples;
}

static bool never(void *user)
{
	(void)user;
	return false;
}

/* Half of the variants lie within 15 % of the best, and the default is one of the better ones. */
static void init(struct machine *machine, uint64_t seed, int rounds)
{
	memset(machine, 0, sizeof *machine);
	machine->random = seed;
	machine->fails = -1;
	for (size_t i = 0; i < VARIANTS; i++) {
		double spread = uniform(&machine->random);

		machine->us[i] = 100 * (1 + 0.6 * spread * spread);
		machine->entries[i] = (struct tune_entry){ .values = &machine->values[i],
			.registers = 32 + (int)(i % 5) * 8, .tile = 1024 * (1 + i % 7) };
	}
	machine->entries[tune_random(&machine->random) % VARIANTS].is_default = true;
	machine->knockout = (struct tune_knockout){ .entries = machine->entries, .count = VARIANTS, .sample = take,
		.must_stop = never, .user = machine, .seed = seed, .rounds = rounds };
}

static void first_samples(struct machine *machine)
{
	for (size_t i = 0; i < VARIANTS; i++)
		for (int k = 0; k < FIRST; k++)
			tune_values_add(&machine->values[i], sample_one(machine, i));
}

static void decide(struct machine *machine)
{
	first_samples(machine);
	tune_knockout_run(&machine->knockout);
	tune_knockout_decide(&machine->decision, &machine->knockout);
}

/* As a process begins. */
static void draw_luck(struct machine *machine)
{
	for (size_t i = 0; i < VARIANTS; i++)
		machine->lucky[i] = machine->luck * (2 * uniform(&machine->random) - 1);
}

static double best_of(const struct machine *machine)
{
	double best = machine->us[0];

	for (size_t i = 1; i < VARIANTS; i++)
		best = machine->us[i] < best ? machine->us[i] : best;
	return best;
}

/* 0: near the best; 1: a tie that was kept; 2: neither. */
static int judge(const struct machine *machine)
{
	const struct tune_decision *decision = &machine->decision;
	double us = decision->winner < 0 ? INFINITY : machine->us[decision->winner];

	if (us <= NEAR * best_of(machine))
		return 0;
	if (decision->rule != TUNE_RULE_TIE && decision->rule != TUNE_RULE_WITHDRAWN)
		return 2;
	return us <= TIE * best_of(machine) ? 1 : 2;
}

static void test_noise(uint64_t first, double noise, double drift, double outliers, int rounds, int least,
	const char *what)
{
	struct machine *machine = malloc(sizeof *machine);
	int outcomes[3] = { 0, 0, 0 };
	int samples = 0;

	if (!machine)
		tap_bail_out("no memory");
	for (uint64_t seed = first; seed < first + SEEDS; seed++) {
		init(machine, seed, rounds);
		machine->noise = noise;
		machine->drift = drift;
		machine->outliers = outliers;
		decide(machine);
		tune_knockout_repeat(&machine->decision, &machine->knockout, 25);
		outcomes[judge(machine)]++;
		samples += machine->samples;
		if (judge(machine) == 2)
			tap_diag("seed %" PRIu64 ": chose %.1f where the best takes %.1f: %s", seed,
				machine->us[machine->decision.winner], best_of(machine), machine->decision.reason);
	}
	tap_ok(outcomes[0] + outcomes[1] >= least,
		"%s: of %d choices at least %d are within 2 %% of the best, or a tie", what, SEEDS, least);
	tap_diag("%d near, %d ties, %d others; %d samples each", outcomes[0], outcomes[1], outcomes[2],
		samples / SEEDS);
	free(machine);
}

/* Nearly as good as the best, as one is that was chosen by hand. */
static void improve_default(struct machine *machine)
{
	for (size_t i = 0; i < VARIANTS; i++)
		if (machine->entries[i].is_default)
			machine->us[i] = best_of(machine) * (1 + 0.04 * uniform(&machine->random));
}

/* Two runs of two days, each of three processes where it is close, in which every variant has its luck: the winners'
 * true times. */
static void test_days(uint64_t first, double luck, int least)
{
	struct machine *machine = malloc(sizeof *machine);
	int alike = 0;

	if (!machine)
		tap_bail_out("no memory");
	for (uint64_t seed = first; seed < first + SEEDS; seed++) {
		double us[2];

		for (int day = 0; day < 2; day++) {
			init(machine, seed, 100);
			improve_default(machine);
			machine->random += (uint64_t)day * 7919;
			machine->noise = 0.01;
			machine->luck = luck;
			draw_luck(machine);
			decide(machine);
			for (int i = 0; i < 2 && (i == 0 || tune_knockout_is_close(&machine->knockout,
				&machine->decision)); i++) {
				draw_luck(machine);
				tune_knockout_repeat(&machine->decision, &machine->knockout, 15);
			}
			us[day] = machine->us[machine->decision.winner];
		}
		alike += fabs(us[0] / us[1] - 1) <= 0.01;
	}
	tap_ok(alike >= least, "with luck of %.1f %% in each process %d of %d pairs of runs choose alike, within 1 %%",
		100 * luck, alike, SEEDS);
	free(machine);
}

/* ---- Single decisions ---- */

/* Three variants that matter; the rest are far behind. */
static void init_three(struct machine *machine, double first, double second, double third)
{
	init(machine, 7, 60);
	for (size_t i = 0; i < VARIANTS; i++) {
		machine->us[i] = 500;
		machine->entries[i].is_default = false;
	}
	machine->us[0] = first;
	machine->us[1] = second;
	machine->us[2] = third;
	machine->noise = 0.004;
}

static void test_rules(void)
{
	struct machine *machine = malloc(sizeof *machine);

	if (!machine)
		tap_bail_out("no memory");
	init_three(machine, 100, 99.6, 120);
	machine->entries[0].is_default = true;
	decide(machine);
	tap_is_int(machine->decision.winner, 0, "a gain of 0.4 %% does not replace the default");
	tap_is_int(machine->decision.rule, TUNE_RULE_TIE, "and the rule is the tie");
	tap_contains(machine->decision.reason, "no clear gain", "which the reason says");

	init_three(machine, 100, 95, 120);
	machine->entries[0].is_default = true;
	decide(machine);
	tap_is_int(machine->decision.winner, 1, "a gain of 5 %% does");
	tap_contains(machine->decision.reason, "of the time of the default", "and the reason tells the ratio");

	init_three(machine, 100, 99.6, 120);
	machine->entries[0].is_previous = true;
	machine->entries[2].is_default = true;
	decide(machine);
	tap_is_int(machine->decision.winner, 0, "the previous choice is the incumbent, and not a slower default");
	tap_is_int(machine->decision.incumbent, 0, "as the decision tells");

	init_three(machine, 99.9, 100, 120);
	machine->entries[2].is_default = true;
	machine->entries[0].registers = 64;
	machine->entries[1].registers = 32;
	decide(machine);
	tap_is_int(machine->decision.winner, 1, "of two that are as fast, the one with fewer registers is chosen");
	tap_is_int(machine->decision.rule, TUNE_RULE_SIMPLER, "and the rule says so");

	init_three(machine, 90, 100, 180);
	machine->entries[1].is_default = true;
	machine->entries[2].is_related = true;
	decide(machine);
	tap_is_int(machine->decision.incumbent, 1, "what won for a problem like it is no incumbent");
	tap_is_int(tune_knockout_times(&machine->knockout, 2).count, machine->knockout.rounds_run,
		"but is heard to the end, however slow");

	init_three(machine, 90, 100, 101);
	machine->entries[1].is_default = true;
	machine->fails = 0;
	decide(machine);
	tap_is_int(machine->decision.winner, 1, "a variant that fails in the finals does not win");
	free(machine);
}

static void test_repeat(void)
{
	struct machine *machine = malloc(sizeof *machine);

	if (!machine)
		tap_bail_out("no memory");
	init_three(machine, 100, 95, 120);
	machine->entries[0].is_default = true;
	decide(machine);
	machine->us[1] = 101;
	tune_knockout_repeat(&machine->decision, &machine->knockout, 25);
	tap_is_int(machine->decision.winner, 0, "what does not win a second time is withdrawn");
	tap_contains(machine->decision.reason, "in a fresh process", "and the reason says so");
	tap_is_int(tune_knockout_times(&machine->knockout, 0).count, 25, "the times are those of the second time");

	init_three(machine, 100, 99.3, 120);
	machine->entries[0].is_previous = true;
	machine->noise = 0.002;
	decide(machine);
	tap_is_int(machine->decision.rule, TUNE_RULE_TIE, "a gain of 0.7 %% over the previous choice is none");

	init_three(machine, 100, 99.3, 120);
	machine->entries[0].is_default = true;
	machine->noise = 0.002;
	decide(machine);
	tap_is_int(machine->decision.winner, 1, "but over the default it is one");
	tune_knockout_repeat(&machine->decision, &machine->knockout, 25);
	tap_ok(tune_knockout_is_close(&machine->knockout, &machine->decision),
		"which another process may see otherwise");
	machine->us[1] = 100.5;
	tune_knockout_repeat(&machine->decision, &machine->knockout, 25);
	tune_knockout_repeat(&machine->decision, &machine->knockout, 25);
	tap_is_int(machine->decision.winner, 0, "and where two of three do, it is withdrawn");

	init_three(machine, 100, 99.7, 120);
	machine->entries[0].is_default = true;
	machine->noise = 0.002;
	decide(machine);
	tap_is_int(machine->decision.rule, TUNE_RULE_TIE, "a gain of 0.3 %% over the default is none");
	machine->us[1] = 97.5;
	tune_knockout_repeat(&machine->decision, &machine->knockout, 25);
	tap_is_int(machine->decision.winner, 1, "but with 2.5 %% the second time it is one, over both");
	tap_is_int(machine->decision.rule, TUNE_RULE_TWICE, "by a rule of its own");
	tap_contains(machine->decision.reason, "the least in all", "which the reason tells");

	init_three(machine, 100, 99.7, 120);
	machine->entries[0].is_default = true;
	machine->noise = 0.002;
	decide(machine);
	tune_knockout_repeat(&machine->decision, &machine->knockout, 25);
	tap_is_int(machine->decision.winner, 0, "what is as little the second time stays none");

	init_three(machine, 120, 100, 100.6);
	machine->entries[0].is_default = true;
	machine->noise = 0.002;
	decide(machine);
	machine->us[1] = 104;
	tune_knockout_repeat(&machine->decision, &machine->knockout, 25);
	tap_is_int(machine->decision.winner, 2, "of two that beat the default the best over both is chosen");
	free(machine);
}

static void test_model(void)
{
	struct machine *machine = malloc(sizeof *machine);
	int before;

	if (!machine)
		tap_bail_out("no memory");
	init_three(machine, 100, 95, 120);
	machine->noise = 0;
	machine->entries[0].is_default = true;
	first_samples(machine);
	before = machine->samples;
	tune_knockout_run(&machine->knockout);
	tune_knockout_decide(&machine->decision, &machine->knockout);
	tap_is_int(machine->decision.winner, 1, "a modelled clock needs no rounds");
	tap_is_int(machine->samples, before, "and gets none");
	tap_contains(machine->decision.reason, "takes 0.950 of", "its ratio has no interval");
	free(machine);
}

static void test_intervals(void)
{
	struct tune_values values = {0};
	struct tune_summary summary;

	for (int i = 1; i <= 6; i++)
		tune_values_add(&values, i);
	summary = tune_summarise(&values);
	tap_ok(summary.low == 1 && summary.high == 6, "of six values the whole range is the interval");
	for (int i = 7; i <= 20; i++)
		tune_values_add(&values, i);
	summary = tune_summarise(&values);
	tap_ok(summary.low == 6 && summary.high == 15, "of twenty it is that of the ranks 6 and 15");
}

int main(int argument_count, char **arguments)
{
	uint64_t seed = argument_count > 1 ? strtoull(arguments[1], NULL, 0) : 1;

	tap_plan(0);
	test_intervals();
	test_rules();
	test_repeat();
	test_model();
	test_noise(seed, 0.003, 0.02, 0.01, 60, 100, "a quiet machine");
	test_noise(seed, 0.10, 0, 0, 200, 95, "noise of 10 %");
	test_noise(seed, 0.10, 0.05, 0.02, 200, 95, "noise of 10 % with a drifting clock and outliers");
	test_noise(seed, 0.05, 0.05, 0.02, 60, 95, "noise of 5 % in a quick run");
	test_days(seed, 0.005, 98);
	test_days(seed, 0.01, 97);
	return tap_done();
}
