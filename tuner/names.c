/* SPDX-License-Identifier: MIT
 *
 * How the library's answers are told: exit statuses, names; and how much of it there is.
 */
#include "messages.h"
#include "scanrt.h"
#include "tune.h"

int tune_exit_of(int status)
{
	switch (status) {
	case SCANRT_OK: return TUNE_EXIT_COMPLETE;
	case SCANRT_ERROR_DEVICE_LOST: return TUNE_EXIT_LOST;
	case SCANRT_ERROR_VARIANT:
	case SCANRT_ERROR_UNSUPPORTED:
	case SCANRT_ERROR_TYPE:
	/* The device is there; the counts of the command line are too much for it. */
	case SCANRT_ERROR_COUNT:
	case SCANRT_ERROR_DEVICE_MEMORY: return TUNE_EXIT_USAGE;
	case SCANRT_ERROR_NO_DRIVER:
	case SCANRT_ERROR_NO_DEVICE:
	case SCANRT_ERROR_DRIVER_STUB:
	case SCANRT_ERROR_DRIVER_TOO_OLD: return TUNE_EXIT_DEVICE;
	default: return TUNE_EXIT_LOST;
	}
}

const char *tune_origin_name(int origin)
{
	switch (origin) {
	case SCANRT_ORIGIN_FORCED: return "forced";
	case SCANRT_ORIGIN_TUNED: return "tuned";
	case SCANRT_ORIGIN_SIMILAR: return "similar";
	default: return "default";
	}
}

size_t tune_element_bytes(const struct srt_problem *problem)
{
	size_t in = srt_problem_size(problem, SRT_INPUT), out = srt_problem_size(problem, SRT_OUTPUT);

	return in > out ? in : out;
}

size_t tune_moved_bytes(const struct srt_problem *problem)
{
	return srt_problem_size(problem, SRT_INPUT) + srt_problem_size(problem, SRT_OUTPUT);
}

size_t tune_copied_bytes(const struct srt_problem *problem)
{
	return (tune_moved_bytes(problem) + 1) / 2;
}
