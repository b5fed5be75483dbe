/* SPDX-License-Identifier: MIT
 *
 * SCANRT_EMU_FAIL="cuMemAlloc:3:2,cuLaunchKernel:1+:719": the 3rd call of cuMemAlloc fails with CUresult 2, and every
 * call of cuLaunchKernel from the 1st on with 719.  Names are without version suffix.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RULES 32

struct rule {
	char name[64];
	unsigned long nth;
	bool is_lasting;
	int code;
	unsigned long calls;
};

static struct rule rules[MAX_RULES];
static size_t rule_count;
static bool is_parsed, are_good;

/* "NAME:N:CODE" or "NAME:N+:CODE". */
static bool parse_rule(struct rule *rule, const char *text)
{
	const char *colon = strchr(text, ':');
	char *end;

	if (colon == NULL || (size_t)(colon - text) >= sizeof(rule->name))
		return false;
	memset(rule, 0, sizeof(*rule));
	memcpy(rule->name, text, (size_t)(colon - text));
	rule->nth = strtoul(colon + 1, &end, 10);
	rule->is_lasting = *end == '+';
	end += rule->is_lasting;
	if (*end != ':' || rule->nth == 0)
		return false;
	rule->code = (int)strtol(end + 1, &end, 10);
	return (*end == ',' || *end == '\0') && rule->code != 0;
}

/* Why a rule is none; NULL: it is one. */
static const char *refusal(struct rule *rule, const char *text)
{
	if (rule_count == MAX_RULES)
		return "too many rules";
	if (!parse_rule(rule, text))
		return "not NAME:N:CODE";
	return emu_proc_exists(rule->name) ? NULL : "no function of this driver";
}

/* Each rule that is no good is said; none is forgotten silently, since a test of an error path would then pass. */
void emu_inject_parse(const char *specification)
{
	is_parsed = true;
	are_good = true;
	rule_count = 0;
	while (specification != NULL && *specification != '\0') {
		struct rule rule;
		const char *reason = refusal(&rule, specification);

		if (reason == NULL)
			rules[rule_count++] = rule;
		else
			fprintf(stderr, "scanrt-emu: SCANRT_EMU_FAIL: %s: %s\n", reason, specification);
		are_good = are_good && reason == NULL;
		specification = strchr(specification, ',');
		if (specification != NULL)
			specification++;
	}
}

bool emu_inject_is_good(void)
{
	if (!is_parsed)
		emu_inject_parse(getenv("SCANRT_EMU_FAIL"));
	return are_good;
}

/* Compares without the suffixes that tell an ABI: cuMemAlloc_v2, cuMemcpyHtoDAsync_v2_ptsz. */
static bool is_named(const char *function, const char *name)
{
	size_t length = strlen(name);

	return strncmp(function, name, length) == 0 && (function[length] == '\0' || function[length] == '_');
}

CUresult emu_inject(const char *function)
{
	CUresult result = CUDA_SUCCESS;

	emu_inject_is_good();
	for (size_t i = 0; i < rule_count; i++) {
		if (!is_named(function, rules[i].name))
			continue;
		rules[i].calls++;
		if (rules[i].calls == rules[i].nth || (rules[i].is_lasting && rules[i].calls > rules[i].nth))
			result = (CUresult)rules[i].code;
	}
	return result;
}
