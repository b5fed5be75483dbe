/* SPDX-License-Identifier: MIT
 *
 * line_index FILE: numbers the lines of a text on the GPU.
 *
 * Two scans over the bytes of the file tell, for every byte, which line it is in and where that line starts:
 *   number[i] = how many line ends come before byte i         exclusive sum of "byte i ends a line"
 *   start[i]  = the last byte up to i that begins a line      inclusive maximum of "i where byte i begins a line"
 * The index of line k then is the pair (number, start) at its last byte.  All of it is compared with a plain loop.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "device_memory.h"

struct text {
	char *bytes;
	size_t size;
};

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void *need_memory(size_t size)
{
	void *memory = malloc(size);

	if (memory != NULL)
		return memory;
	fprintf(stderr, "line_index: out of memory\n");
	exit(EXIT_FAILURE);
}

static struct text read_text(const char *path)
{
	struct text text = { NULL, 0 };
	FILE *file = fopen(path, "rb");
	long size = -1;

	if (file != NULL && fseek(file, 0, SEEK_END) == 0)
		size = ftell(file);
	if (size <= 0 || size >= INT_MAX) {
		fprintf(stderr, "line_index: %s: cannot be read, is empty, or has 2 GiB or more\n", path);
		exit(EXIT_FAILURE);
	}
	rewind(file);
	text.size = (size_t)size;
	text.bytes = need_memory(text.size);
	if (fread(text.bytes, 1, text.size, file) != text.size) {
		fprintf(stderr, "line_index: %s: cannot be read\n", path);
		exit(EXIT_FAILURE);
	}
	fclose(file);
	return text;
}

static void mark_ends(int32_t *marks, const struct text *text)
{
	for (size_t i = 0; i < text->size; i++)
		marks[i] = text->bytes[i] == '\n';
}

/* Byte 0 begins the first line; its mark is 0 like that of a byte inside a line, which is what the maximum needs. */
static void mark_starts(int32_t *marks, const struct text *text)
{
	marks[0] = 0;
	for (size_t i = 1; i < text->size; i++)
		marks[i] = text->bytes[i - 1] == '\n' ? (int32_t)i : 0;
}

static const char *origin_name(int origin)
{
	switch (origin) {
	case SCANRT_ORIGIN_FORCED:
		return "forced";
	case SCANRT_ORIGIN_TUNED:
		return "tuned";
	case SCANRT_ORIGIN_SIMILAR:
		return "similar";
	default:
		return "default";
	}
}

static void print_plan(const struct scanrt_plan *plan, uint64_t count)
{
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;

	check_scan(scanrt_plan_describe(plan, count, &description, NULL, 0));
	printf("  origin %s, variant %s, %s\n", origin_name(description.origin), description.variant,
		description.is_compiled ? "compiled now" : "image from the database");
	if (description.database[0] != '\0')
		printf("  database %s\n", description.database);
}

/* Makes the plan and scans in place; the clock runs from here, where the context exists, to the finished result. */
static void scan(struct scanrt_context *context, const char *what, int op, int mode, int32_t *device, size_t count)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan *plan;
	double start = now_us();
	double planned;
	double finished;

	problem.input_type = SCANRT_I32;
	problem.op = op;
	problem.mode = mode;
	problem.min_count = count;
	problem.max_count = count;
	check_scan(scanrt_plan_create(&plan, context, &problem, NULL));
	planned = now_us();
	check_scan(scanrt_plan_execute(plan, device, device, count, NULL));
	device_wait();
	finished = now_us();
	printf("%s\n", what);
	print_plan(plan, count);
	printf("  plan %.0f us, scan %.0f us, from context to result %.0f us\n", planned - start, finished - planned,
		finished - start);
	scanrt_plan_destroy(plan);
}

/* The library tells each step of its look-up to a log; the example shows the lines that have a time in them. */
static void show_times(void *user, const char *line)
{
	(void)user;
	if (strstr(line, " us") != NULL)
		printf("  %s\n", line);
}

/* Compares with what a loop finds; prints the first, the last and the longest line. */
static bool check_index(const struct text *text, const int32_t *numbers, const int32_t *starts)
{
	int32_t number = 0;
	int32_t start = 0;
	int32_t longest = 0;
	int32_t longest_number = 0;

	for (size_t i = 0; i < text->size; i++) {
		if (numbers[i] != number || starts[i] != start) {
			printf("byte %zu: wanted line %" PRId32 " from byte %" PRId32, i, number + 1, start);
			printf(", seen line %" PRId32 " from byte %" PRId32 "\n", numbers[i] + 1, starts[i]);
			return false;
		}
		if ((int32_t)i - start > longest) {
			longest = (int32_t)i - start;
			longest_number = number;
		}
		if (text->bytes[i] == '\n') {
			number++;
			start = (int32_t)i + 1;
		}
	}
	printf("%" PRId32 " lines end in %zu bytes; the last byte is of line %" PRId32 ", which begins at byte %" PRId32
	       "; line %" PRId32 " is the longest, with %" PRId32 " bytes\n",
		number, text->size, numbers[text->size - 1] + 1, starts[text->size - 1], longest_number + 1, longest);
	return true;
}

int main(int argc, char **argv)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_context *context;
	struct text text;
	int32_t *numbers, *starts, *device_numbers, *device_starts;
	size_t size;
	bool is_right;

	if (argc != 2) {
		fprintf(stderr, "usage: line_index FILE\n");
		return 2;
	}
	text = read_text(argv[1]);
	size = text.size * sizeof *numbers;
	numbers = need_memory(size);
	starts = need_memory(size);
	mark_ends(numbers, &text);
	mark_starts(starts, &text);
	device_open(0);
	device_numbers = device_alloc(size);
	device_starts = device_alloc(size);
	device_write(device_numbers, numbers, size);
	device_write(device_starts, starts, size);

	options.log = show_times;
	check_scan(scanrt_context_create(&context, &options));
	scan(context, "line numbers: exclusive sum", SCANRT_SUM, SCANRT_EXCLUSIVE, device_numbers, text.size);
	scan(context, "line starts: inclusive maximum", SCANRT_MAX, SCANRT_INCLUSIVE, device_starts, text.size);
	device_read(numbers, device_numbers, size);
	device_read(starts, device_starts, size);
	is_right = check_index(&text, numbers, starts);
	printf("%s\n", is_right ? "the device and the CPU agree" : "THE DEVICE AND THE CPU DIFFER");

	scanrt_context_destroy(context);
	device_free(device_numbers);
	device_free(device_starts);
	free(numbers);
	free(starts);
	free(text.bytes);
	return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
