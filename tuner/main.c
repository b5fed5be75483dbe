/* SPDX-License-Identifier: MIT
 *
 * scantune: finds the fastest kernels of a GPU and keeps them, with their machine code, in a database.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "messages.h"
#include "options.h"
#include "stated.h"
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

/* A descriptor that the caller closed would be given to the next file that is opened, and what is printed would go into
 * a worker's pipe.  What takes its place refuses to be written to, or read from, as a closed one would. */
static void occupy_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* A list that a full disk has cut is not to pass for a whole one. */
static int check_output(int status)
{
	bool has_failed = ferror(stdout) != 0;

	has_failed |= fflush(stdout) != 0;
	if (!has_failed)
		return status;
	fputs("scantune: standard output cannot be written\n", stderr);
	return status == TUNE_EXIT_COMPLETE ? TUNE_EXIT_USAGE : status;
}

/* Whoever has no GPU is told what there is in its place. */
static void tell_of_emulator(int status, const struct tune_options *options)
{
	const struct srt_driver *driver;
	int ordinal;

	if (status == TUNE_EXIT_DEVICE && !options->is_json &&
		srt_driver_open(&driver, &ordinal, options->device) == SCANRT_ERROR_NO_DRIVER &&
		strncmp(options->device, "emu", 3) != 0)
		fputs("scantune: without a GPU, --device emu is the emulated device of scanrt-emu(7)\n", stderr);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(const struct tune_options *options);
	} commands[] = {
		{ "tune", tune_command_tune }, { "devices", tune_command_devices }, { "list", tune_command_list },
		{ "show", tune_command_show }, { "bench", tune_command_bench },
		{ "compare", tune_command_compare }, { "plot", tune_command_plot }, { "why", tune_command_why },
		{ "verify", tune_command_again }, { "recheck", tune_command_again }, { "import", tune_command_again },
		{ "diff", tune_command_again },
		{ "export", tune_command_export }, { "vendor", tune_command_vendor },
		{ "prune", tune_command_prune }, { "doctor", tune_command_doctor },
	};
	struct tune_options options;
	int status;

	occupy_standard_descriptors();
	if (argc == 2 && strncmp(argv[1], worker_argument, sizeof worker_argument - 1) == 0)
		return run_worker(argv[1] + sizeof worker_argument - 1);
	if (!tune_options_parse(&options, &status, argc, argv))
		return check_output(status);
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(options.command, commands[i].name) == 0) {
			status = check_output(commands[i].run(&options));
			tell_of_emulator(status, &options);
			tune_drop_problem(&options);
			return status;
		}
	return TUNE_EXIT_USAGE;
}
