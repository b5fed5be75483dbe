/* SPDX-License-Identifier: MIT
 *
 * first_scan [COUNT [sum|max|user [exclusive]]]: how long a fresh process takes from a CUDA context to its first
 * result of i32, and what one execution costs the host after that; user: of a structure of one, and an operator in
 * text.  What the library does is the database's and the compiler's doing: run it with SCANRT_DB naming a tuned file or
 * `off`, with and without SCANRT_LIBNVRTC pointing nowhere.
 *
 * Prints one JSON object: times in microseconds; lookup_us is what the library's log says of the database, if it does.
 * Under driver_calls.so (see there), each phase's driver and system calls are listed at the end.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "../examples/device_memory.h"

#define ROUNDS 50
#define BURST  100 /* executions in a row; far below the depth of the driver's queue */
#define LARGE  (1 << 24)

struct times {
	double cuda;        /* cuInit and the primary context: not ours */
	double open;        /* scanrt_context_create */
	double plan;        /* scanrt_plan_create */
	double first;       /* the first execution, to the result's arrival on the device */
	double host;        /* one execution's host time, later */
	double second_plan; /* the same plan again, in the warm process */
};

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Tells driver_calls.so, if it is there, what the calls that follow are for; NULL: for nothing of interest. */
static void phase(const char *name)
{
	static void (*tell)(const char *);
	static bool is_known;

	if (!is_known)
		*(void **)&tell = dlsym(dlopen(NULL, RTLD_NOW), "driver_calls_phase");
	is_known = true;
	if (tell)
		tell(name);
}

/* Begins a phase. */
static double begin_us(const char *name)
{
	phase(name);
	return now_us();
}

static double end_us(double begin)
{
	double now = now_us();

	phase(NULL);
	return now - begin;
}

static double lookup_us = -1;

/* "...: looked up in 87.3 us": the last number before " us" in the last line that has one and names the database. */
static void hear(void *user, const char *line)
{
	const char *unit = strstr(line, " us");
	const char *number = unit;

	(void)user;
	if (unit == NULL)
		return;
	while (number > line && strchr("0123456789.", number[-1]) != NULL)
		number--;
	if (number < unit)
		lookup_us = atof(number);
	fprintf(stderr, "%s\n", line);
}

/* What is scanned, as the command line has it. */
struct task {
	uint64_t count;
	bool is_max;
	bool is_exclusive;
	bool is_user;
};

static const int32_t zero;
static const struct scanrt_user_type number = { sizeof number, "number", "struct number { int value; };\n", 4, 4 };
static const struct scanrt_user_operator add = { sizeof add, "add",
	"number apply(const number &a, const number &b)\n"
	"{\n"
	"	return { int(unsigned(a.value) + unsigned(b.value)) };\n"
	"}\n",
	&zero, SCANRT_COMMUTATIVE, NULL };

static struct scanrt_plan *make_plan(struct scanrt_context *context, const struct task *task)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan *plan = NULL;

	problem.input_type = SCANRT_I32;
	problem.op = task->is_max ? SCANRT_MAX : SCANRT_SUM;
	if (task->is_user) {
		problem.input_type = SCANRT_TYPE_USER;
		problem.user_input = &number;
		problem.op = SCANRT_OPERATOR_USER;
		problem.user_operator = &add;
	}
	problem.mode = task->is_exclusive ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;
	problem.min_count = task->count;
	problem.max_count = task->count;
	check_scan(scanrt_plan_create(&plan, context, &problem, NULL));
	return plan;
}

static double host_time(struct scanrt_plan *plan, void *out, const void *in, uint64_t count)
{
	double best = 1e9;
	int rounds = count > LARGE ? 2 : ROUNDS;

	for (int round = 0; round < rounds; round++) {
		double begin = now_us();
		double each;

		for (int i = 0; i < BURST; i++)
			check_scan(scanrt_plan_execute(plan, out, in, count, NULL));
		each = (now_us() - begin) / BURST;
		device_wait();
		if (each < best)
			best = each;
	}
	return best;
}

static int32_t combine(const struct task *task, int32_t earlier, int32_t later)
{
	if (task->is_max)
		return earlier > later ? earlier : later;
	return (int32_t)((uint32_t)earlier + (uint32_t)later);
}

static bool is_right(const struct task *task, const int32_t *in, const void *out)
{
	int32_t *results = malloc(task->count * sizeof *results);
	int32_t before = task->is_max ? INT32_MIN : 0;
	bool same = results != NULL;

	device_read(results, out, task->count * sizeof *results);
	for (uint64_t i = 0; i < task->count && same; i++) {
		int32_t here = combine(task, before, in[i]);

		same = results[i] == (task->is_exclusive ? before : here);
		before = here;
	}
	free(results);
	return same;
}

static void print(const struct times *times, struct scanrt_plan *plan, const struct task *task, bool same)
{
	static const char *const origins[] = { "unknown", "forced", "tuned", "similar", "default" };
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;

	check_scan(scanrt_plan_describe(plan, task->count, &description, NULL, 0));
	printf("{\"what\":\"first scan\",\"type\":\"i32\",\"op\":\"%s\",\"mode\":\"%s\",\"count\":%llu,"
	       "\"origin\":\"%s\","
	       "\"variant\":\"%s\",\"is_compiled\":%d,\"is_right\":%s,"
	       "\"cuda_us\":%.1f,\"context_us\":%.1f,\"plan_us\":%.1f,\"execute_us\":%.1f,"
	       "\"context_to_result_us\":%.1f,\"lookup_us\":%.1f,\"second_plan_us\":%.1f,\"host_us\":%.3f}\n",
		task->is_user ? "user" : task->is_max ? "max" : "sum", task->is_exclusive ? "exclusive" : "inclusive",
		(unsigned long long)task->count, origins[description.origin], description.variant,
		description.is_compiled,
		same ? "true" : "false", times->cuda, times->open, times->plan, times->first,
		times->open + times->plan + times->first, lookup_us, times->second_plan, times->host);
}

int main(int argc, char **argv)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	const struct task task = { argc > 1 ? strtoull(argv[1], NULL, 0) : 1 << 20,
		argc > 2 && strcmp(argv[2], "max") == 0, argc > 3 && strcmp(argv[3], "exclusive") == 0,
		argc > 2 && strcmp(argv[2], "user") == 0 };
	uint64_t count = task.count;
	size_t bytes = count * sizeof(int32_t);
	int32_t *values = malloc(bytes);
	struct scanrt_context *context = NULL;
	struct scanrt_plan *plan;
	struct times times;
	double begin;
	void *in;
	void *out;
	bool same;

	if (values == NULL || count == 0)
		return EXIT_FAILURE;
	for (uint64_t i = 0; i < count; i++)
		values[i] = (int32_t)(i * 2654435761u);
	begin = begin_us("cuInit and the primary context");
	device_open(0);
	times.cuda = end_us(begin);
	in = device_alloc(bytes);
	out = device_alloc(bytes);
	device_write(in, values, bytes);
	options.log = hear;
	begin = begin_us("scanrt_context_create");
	check_scan(scanrt_context_create(&context, &options));
	times.open = end_us(begin);
	begin = begin_us("scanrt_plan_create");
	plan = make_plan(context, &task);
	times.plan = end_us(begin);
	begin = begin_us("scanrt_plan_execute and the wait for it");
	check_scan(scanrt_plan_execute(plan, out, in, count, NULL));
	device_wait();
	times.first = end_us(begin);
	same = is_right(&task, values, out);
	begin = begin_us("scanrt_plan_create and _destroy, again");
	scanrt_plan_destroy(make_plan(context, &task));
	times.second_plan = end_us(begin);
	times.host = host_time(plan, out, in, count);
	print(&times, plan, &task, same);
	scanrt_plan_destroy(plan);
	scanrt_context_destroy(context);
	free(values);
	return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
