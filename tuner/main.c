/* SPDX-License-Identifier: MIT
 *
 * scantune: finds the fastest kernels of a GPU and keeps them, with their machine code, in a database.
 */
#include <stdio.h>
#include <string.h>

#include "messages.h"
#include "options.h"
#include "tune.h"

/* The hidden argument with which this program starts its workers. */
static const char worker_argument[] = "--worker=";

static int run_worker(const char *role)
{
	if (strcmp(role, "compile") == 0)
		return tune_compile_worker();
	if (strcmp(role, "gpu") == 0)
		return tune_gpu_worker();
	return TUNE_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(const struct tune_options *options);
	} commands[] = {
		{ "tune", tune_command_tune }, { "devices", tune_command_devices }, { "list", tune_command_list },
		{ "show", tune_command_show }, { "bench", tune_command_bench },
	};
	struct tune_options options;
	int status;

	if (argc == 2 && strncmp(argv[1], worker_argument, sizeof worker_argument - 1) == 0)
		return run_worker(argv[1] + sizeof worker_argument - 1);
	if (!tune_options_parse(&options, &status, argc, argv))
		return status;
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(options.command, commands[i].name) == 0)
			return commands[i].run(&options);
	return TUNE_EXIT_USAGE;
}
