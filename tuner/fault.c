/* SPDX-License-Identifier: MIT
 *
 * Faults on demand, so that tests can see what the tuner makes of them.  SCANTUNE_FAULT is a list of KIND:VARIANT,
 * separated by semicolons, where KIND is wrong, late (wrong where it is exclusive), fast (times too good to be true),
 * poison (writes where there is no memory, after which a context is beyond use), hang or crash; or kill-load,
 * kill-verify or kill-time: the worker is killed there, as if from outside, once.  SCANTUNE_FAULT_ONCE names a file
 * that is there until then.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gpu.h"

bool tune_fault_is(const char *kind, const char *variant)
{
	const char *faults = getenv("SCANTUNE_FAULT");
	char wanted[SRT_VARIANT_TEXT_SIZE + 16];
	size_t length = (size_t)snprintf(wanted, sizeof wanted, "%s:%s", kind, variant);

	while (faults) {
		const char *end = strchr(faults, ';');
		size_t have = end ? (size_t)(end - faults) : strlen(faults);

		if (have == length && strncmp(faults, wanted, length) == 0)
			return true;
		faults = end ? end + 1 : NULL;
	}
	return false;
}

void tune_fault_kill(const char *kind, const char *variant)
{
	const char *once = getenv("SCANTUNE_FAULT_ONCE");

	if (tune_fault_is(kind, variant) && once && unlink(once) == 0)
		raise(SIGKILL);
}

void tune_fault_strike(const char *variant)
{
	const struct rlimit no_core = { 0, 0 };

	while (tune_fault_is("hang", variant))
		pause();
	if (tune_fault_is("crash", variant)) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGSEGV, SIG_DFL); /* a sanitizer may have a handler of its own */
		raise(SIGSEGV);
	}
}
