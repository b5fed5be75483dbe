/* SPDX-License-Identifier: MIT
 *
 * The environment, as cuInit finds it.  A setting that is mistyped and ignored would leave a test with another device,
 * or with fewer failures, than it says; so each is refused, with a line that names it.
 */
#include "driver.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole text is a number, with a suffix or without one. */
static bool parse_number(uint64_t *number, const char *text)
{
	static const char suffixes[] = "kmgKMG";
	const char *suffix;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*number = strtoull(text, &end, 0);
	if (*end == '\0')
		return true;
	suffix = strchr(suffixes, *end);
	if (suffix != NULL)
		*number <<= (suffix - suffixes) % 3 * 10 + 10;
	return suffix != NULL && end[1] == '\0';
}

uint64_t emu_environment_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	uint64_t number;

	return text != NULL && parse_number(&number, text) ? number : otherwise;
}

static bool check_numbers(void)
{
	static const struct {
		const char *name;
		uint64_t low, high;
	} variables[] = {
		{ "SCANRT_EMU_DEVICES", 0, EMU_MAX_DEVICES }, { "SCANRT_EMU_SMS", 1, 65536 },
		{ "SCANRT_EMU_MEMORY", 0, EMU_ADDRESSES_PER_DEVICE }, { "SCANRT_EMU_SEED", 0, UINT64_MAX },
		{ "SCANRT_EMU_RESIDENT", 0, INT_MAX }, { "SCANRT_EMU_DRIVER_VERSION", 0, INT_MAX },
	};
	uint64_t number;

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *text = getenv(variables[i].name);

		if (text == NULL || *text == '\0' || (parse_number(&number, text) && number >= variables[i].low &&
		    number <= variables[i].high))
			continue;
		fprintf(stderr, "scanrt-emu: %s: no number from %" PRIu64 " to %" PRIu64 ": %s\n", variables[i].name,
			variables[i].low, variables[i].high, text);
		return false;
	}
	return true;
}

/* Opened here only to see whether they can be: each launch opens them anew. */
static bool check_file(const char *variable)
{
	bool is_writable = true;
	FILE *file = emu_open_named(variable, &is_writable);

	if (file != NULL && file != stderr)
		fclose(file);
	return is_writable;
}

bool emu_settings_check(void)
{
	return check_numbers() && emu_inject_is_good() && check_file("SCANRT_EMU_LOG") &&
		check_file("SCANRT_EMU_COUNTERS");
}
