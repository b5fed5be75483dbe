/* SPDX-License-Identifier: MIT */
#include "variant.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "strategy.h"

static const char *const warp_scan_names[] = { "shuffle", "shared" };
static const char *const circuit_names[] = {
#define CIRCUIT(constant, name, file, slots) name,
#include "circuit.def"
#undef CIRCUIT
};
static const char *const circuit_files[] = {
#define CIRCUIT(constant, name, file, slots) file,
#include "circuit.def"
#undef CIRCUIT
};
static const char *const access_names[] = { "plain", "stream", "bulk", "place" };
static const char *const exchange_names[] = { "warp", "block" };

/* In the order of the text form. */
const struct srt_knob srt_knobs[] = {
	{ "block", "SCAN_BLOCK", offsetof(struct srt_variant, block), 32, 1024, 32, NULL },
	{ "items", "SCAN_ITEMS", offsetof(struct srt_variant, items), 1, 256, 1, NULL },
	{ "lanes", "SCAN_LANES", offsetof(struct srt_variant, lanes), 1, 128, 1, NULL },
	{ "warp", "SCAN_WARP_SCAN", offsetof(struct srt_variant, warp_scan), 1, 2, 1, warp_scan_names },
	{ "circuit", "SCAN_CIRCUIT", offsetof(struct srt_variant, circuit), 1, SRT_CIRCUIT_END - 1, 1, circuit_names },
	{ "fan", "SCAN_FAN", offsetof(struct srt_variant, fan), 2, 32, 1, NULL },
	{ "load", "SCAN_LOAD", offsetof(struct srt_variant, load), 1, 2, 1, access_names },
	{ "store", "SCAN_STORE", offsetof(struct srt_variant, store), 1, 4, 1, access_names },
	{ "residency", "SCAN_RESIDENCY", offsetof(struct srt_variant, residency), 1, 32, 1, NULL },
	{ "stages", "SCAN_STAGES", offsetof(struct srt_variant, stages), 2, 16, 1, NULL },
	{ "ahead", "SCAN_AHEAD", offsetof(struct srt_variant, ahead), 1, 15, 1, NULL },
	{ "gather", "SCAN_GATHER", offsetof(struct srt_variant, gather), 1, 8, 1, NULL },
	{ "teams", "SCAN_TEAMS", offsetof(struct srt_variant, teams), 1, 2, 1, NULL },
	{ "cluster", "SCAN_CLUSTER", offsetof(struct srt_variant, cluster), 2, 16, 2, NULL },
	{ "exchange", "SCAN_EXCHANGE", offsetof(struct srt_variant, exchange), 1, 2, 1, exchange_names },
	{ "partials", "SCAN_PARTIALS", offsetof(struct srt_variant, partials), 8, 4096, 8, NULL },
	{ NULL, NULL, 0, 0, 0, 0, NULL },
};

const char *srt_circuit_file(int circuit)
{
	assert(circuit > SRT_CIRCUIT_NONE && circuit < SRT_CIRCUIT_END);
	return circuit_files[circuit - 1];
}

const struct srt_knob *srt_knob_find(const char *name)
{
	const struct srt_knob *knob;

	for (knob = srt_knobs; knob->name; knob++)
		if (strcmp(knob->name, name) == 0)
			return knob;
	return NULL;
}

int srt_knob_get(const struct srt_knob *knob, const struct srt_variant *variant)
{
	int value;

	memcpy(&value, (const char *)variant + knob->offset, sizeof(value));
	return value;
}

void srt_knob_set(const struct srt_knob *knob, struct srt_variant *variant, int value)
{
	memcpy((char *)variant + knob->offset, &value, sizeof(value));
}

/* The strategy exists: what people write is checked before knobs are looked at. */
int srt_knob_default(const struct srt_knob *knob, int strategy)
{
	return srt_knob_get(knob, &srt_strategy_find(strategy)->defaults);
}

void srt_variant_init(struct srt_variant *variant, enum srt_strategy strategy)
{
	const struct srt_strategy_row *row = srt_strategy_find(strategy);

	assert(row);
	*variant = row->defaults;
	variant->strategy = strategy;
}

/* ---- Text form ---- */

static int parse_strategy(struct srt_variant *variant, const char *name)
{
	struct srt_strbuf known = { 0 };
	int strategy;
	int status;
	int i;

	for (i = 0; (strategy = srt_strategy_at(i)) != 0; i++)
		if (strcmp(srt_strategy_name(strategy), name) == 0) {
			srt_variant_init(variant, (enum srt_strategy)strategy);
			return SCANRT_OK;
		}
	srt_strategy_list(&known);
	status = srt_fail(SCANRT_ERROR_VARIANT, "unknown strategy '%s': there are %s", name, srt_strbuf_text(&known));
	srt_strbuf_free(&known);
	return status;
}

/* Digits only: strtol alone would take signs and spaces. */
static int parse_number(int *value, const char *name, const char *text)
{
	long number;

	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
		return srt_fail(SCANRT_ERROR_VARIANT, "%s=%s is not a number", name, text);
	errno = 0;
	number = strtol(text, NULL, 10);
	if (errno || number > INT_MAX)
		return srt_fail(SCANRT_ERROR_VARIANT, "%s=%s is out of range", name, text);
	*value = (int)number;
	return SCANRT_OK;
}

static int refuse_value(const struct srt_knob *knob, const char *text)
{
	struct srt_strbuf known = { 0 };
	int status;
	int i;

	for (i = knob->least; i <= knob->most; i++)
		srt_strbuf_printf(&known, "%s%s", known.length ? ", " : "", knob->values[i - knob->least]);
	status = srt_fail(SCANRT_ERROR_VARIANT, "%s has no value '%s': there are %s", knob->name, text,
		srt_strbuf_text(&known));
	srt_strbuf_free(&known);
	return status;
}

static int parse_value(int *value, const struct srt_knob *knob, const char *text)
{
	int i;

	if (!knob->values)
		return parse_number(value, knob->name, text);
	for (i = knob->least; i <= knob->most; i++)
		if (strcmp(knob->values[i - knob->least], text) == 0) {
			*value = i;
			return SCANRT_OK;
		}
	return refuse_value(knob, text);
}

/* Also of variants that no text was parsed for: a database's row may have been edited. */
static int check_range(const struct srt_knob *knob, int strategy, int value)
{
	if (srt_knob_default(knob, strategy) == 0) {
		if (value != 0)
			return srt_fail(SCANRT_ERROR_VARIANT, "strategy %s has no knob %s", srt_strategy_name(strategy),
				knob->name);
		return SCANRT_OK;
	}
	if (value < knob->least || value > knob->most)
		return srt_fail(SCANRT_ERROR_VARIANT, "%s=%d is not between %d and %d", knob->name, value, knob->least,
			knob->most);
	if (value % knob->step != 0)
		return srt_fail(SCANRT_ERROR_VARIANT, "%s=%d is not a multiple of %d", knob->name, value, knob->step);
	return SCANRT_OK;
}

/* Those that the strategy has, since whoever misspells one wants to see them. */
static int refuse_knob(const char *name, int strategy)
{
	struct srt_strbuf known = { 0 };
	const struct srt_knob *knob;
	int status;

	for (knob = srt_knobs; knob->name; knob++)
		if (srt_knob_default(knob, strategy) != 0)
			srt_strbuf_printf(&known, "%s%s", known.length ? ", " : "", knob->name);
	status = srt_fail(SCANRT_ERROR_VARIANT, "unknown knob '%s': %s has %s", name, srt_strategy_name(strategy),
		srt_strbuf_text(&known));
	srt_strbuf_free(&known);
	return status;
}

/* One "name=value"; `seen` has a bit for each knob that the text has named so far. */
static int parse_knob(struct srt_variant *variant, unsigned *seen, char *text)
{
	char *equals = strchr(text, '=');
	const struct srt_knob *knob;
	unsigned bit;
	int value = 0;
	int status;

	if (!equals)
		return srt_fail(SCANRT_ERROR_VARIANT, "'%s' is not of the form knob=value", text);
	*equals = '\0';
	knob = srt_knob_find(text);
	if (!knob)
		return refuse_knob(text, variant->strategy);
	bit = 1u << (knob - srt_knobs);
	if (*seen & bit)
		return srt_fail(SCANRT_ERROR_VARIANT, "%s is given twice", knob->name);
	*seen |= bit;
	/* A knob that the strategy lacks is refused even at 0: the text does not mean what its author thought. */
	if (srt_knob_default(knob, variant->strategy) == 0)
		return srt_fail(SCANRT_ERROR_VARIANT, "strategy %s has no knob %s",
			srt_strategy_name(variant->strategy), knob->name);
	status = parse_value(&value, knob, equals + 1);
	if (!status)
		status = check_range(knob, variant->strategy, value);
	if (!status)
		srt_knob_set(knob, variant, value);
	return status;
}

/* Into a copy, as names end where a comma stood; and into a variant of its own, as a text that is refused changes
 * nothing. */
int srt_variant_parse(struct srt_variant *variant, const char *text)
{
	char copy[2 * SRT_VARIANT_TEXT_SIZE];
	struct srt_variant made;
	unsigned seen = 0;
	char *next;
	char *part;
	int status;

	if (!text)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the variant is null");
	if (strlen(text) >= sizeof(copy))
		return srt_fail(SCANRT_ERROR_VARIANT, "a variant of %zu characters is none", strlen(text));
	memcpy(copy, text, strlen(text) + 1);
	part = copy;
	next = strchr(part, ',');
	if (next)
		*next++ = '\0';
	status = parse_strategy(&made, part);
	while (!status && next) {
		part = next;
		next = strchr(part, ',');
		if (next)
			*next++ = '\0';
		status = parse_knob(&made, &seen, part);
	}
	if (!status)
		*variant = made;
	return status;
}

void srt_variant_format(struct srt_strbuf *out, const struct srt_variant *variant)
{
	const struct srt_knob *knob;
	int value;

	assert(srt_strategy_name(variant->strategy));
	srt_strbuf_append(out, srt_strategy_name(variant->strategy));
	for (knob = srt_knobs; knob->name; knob++) {
		value = srt_knob_get(knob, variant);
		if (value == srt_knob_default(knob, variant->strategy))
			continue;
		assert(!check_range(knob, variant->strategy, value));
		if (knob->values)
			srt_strbuf_printf(out, ",%s=%s", knob->name, knob->values[value - knob->least]);
		else
			srt_strbuf_printf(out, ",%s=%d", knob->name, value);
	}
}

/* ---- Checks of ranges; variant_limits.c goes on from there ---- */

int srt_variant_check_ranges(const struct srt_variant *variant)
{
	const struct srt_knob *knob;
	int status = SCANRT_OK;

	if (!srt_strategy_name(variant->strategy))
		return srt_fail(SCANRT_ERROR_VARIANT, "unknown strategy %d", variant->strategy);
	for (knob = srt_knobs; knob->name && !status; knob++)
		status = check_range(knob, variant->strategy, srt_knob_get(knob, variant));
	return status;
}
