/* SPDX-License-Identifier: MIT
 *
 * Starting, killing and reaping the tuner's children.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

#define REAP_SECONDS 10.0 /* a process inside a hung driver call can take its time to die */

double tune_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Between fork and exec: only async-signal-safe calls. */
static void become_child(int reads, int writes, pid_t parent, char *const *arguments)
{
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have died before the line above took effect. */
	if (getppid() != parent || null < 0)
		_exit(127);
	/* Move our ends out of the way first: either may already have one of the numbers that we want. */
	reads = fcntl(reads, F_DUPFD, 10);
	writes = fcntl(writes, F_DUPFD, 10);
	if (dup2(null, 0) < 0 || dup2(2, 1) < 0 || dup2(reads, TUNE_CHILD_READS) < 0 ||
	    dup2(writes, TUNE_CHILD_WRITES) < 0)
		_exit(127);
	close(reads);
	close(writes);
	execv("/proc/self/exe", arguments);
	_exit(127);
}

/* As the child's name: the dynamic loader tells it from there which folder the program is in, and libraries beside it
 * are looked for in that. */
static void own_path(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	if (length < 0)
		length = snprintf(path, size, "scantune");
	path[length] = '\0';
}

static void close_pair(const int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

bool tune_child_start(struct tune_child *child, const char *role)
{
	char self[PATH_MAX], argument[64];
	char *arguments[] = { self, argument, NULL };
	int down[2], up[2];
	pid_t parent = getpid();
	pid_t pid;

	memset(child, 0, sizeof *child);
	snprintf(argument, sizeof argument, "--worker=%s", role);
	own_path(self, sizeof self);
	if (pipe2(down, O_CLOEXEC) < 0)
		return false;
	if (pipe2(up, O_CLOEXEC) < 0) {
		close_pair(down);
		return false;
	}
	pid = fork();
	if (pid == 0)
		become_child(down[0], up[1], parent, arguments);
	close(down[0]);
	close(up[1]);
	if (pid < 0) {
		close(down[1]);
		close(up[0]);
		return false;
	}
	fcntl(up[0], F_SETFL, O_NONBLOCK);
	child->pid = pid;
	child->to = down[1];
	child->from = up[0];
	return true;
}

static void describe(char *how, size_t size, int status)
{
	if (WIFSIGNALED(status))
		snprintf(how, size, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(how, size, "exit status %d", WEXITSTATUS(status));
}

static bool was_killed(int status)
{
	return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM);
}

/* Waits a little for a child to end by itself: its own signal says more than our SIGKILL would. */
static bool reap(pid_t pid, int *status, double seconds)
{
	double until = tune_now() + seconds;
	struct timespec pause = { 0, 1000000 };

	for (;;) {
		pid_t done = waitpid(pid, status, WNOHANG);

		if (done == pid || (done < 0 && errno == ECHILD))
			return true;
		if (tune_now() >= until)
			return false;
		nanosleep(&pause, NULL);
	}
}

bool tune_child_stop(struct tune_child *child, char *how, size_t size)
{
	int status = 0;
	bool is_reaped;

	if (child->pid == 0)
		return true;
	close(child->to);
	is_reaped = reap(child->pid, &status, child->has_ended ? REAP_SECONDS : 0.05);
	if (!is_reaped) {
		kill(-child->pid, SIGKILL);
		kill(child->pid, SIGKILL); /* where it has not made its group yet */
		is_reaped = reap(child->pid, &status, REAP_SECONDS);
	} else {
		child->was_killed = was_killed(status);
	}
	if (how)
		describe(how, size, status);
	close(child->from);
	tune_reader_free(&child->reader);
	child->pid = 0;
	return is_reaped;
}

void tune_boot_id(char *out, size_t size)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	out[0] = '\0';
	if (file == NULL)
		return;
	if (fgets(out, (int)size, file))
		out[strcspn(out, "\n")] = '\0';
	fclose(file);
}

/* Field 22 of /proc/PID/stat, counted from behind the last parenthesis: the second field is a name that may hold any
 * character.  A zombie has ended, whatever its parent thinks. */
int64_t tune_start_ticks(pid_t pid)
{
	char path[64], line[1024];
	const char *at;
	FILE *file;
	long long ticks = 0;

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	at = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
	if (at && strncmp(at, ") Z", 3) == 0)
		at = NULL;
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		ticks = strtoll(at, NULL, 10);
	fclose(file);
	return ticks;
}
