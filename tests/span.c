/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "span.h"

/* What is behind the first three words is padding; but a member is the caller's to fill. */
static const char op_head[] =
	"span apply(const span &a, const span &b)\n"
	"{\n"
	"	if (a.magic != 0x5ca1ab1eu || b.magic != 0x5ca1ab1eu || a.last + 1 != b.first)\n"
	"		asm volatile(\"trap;\");\n"
	"	span c;\n"
	"	c.magic = a.magic; c.first = a.first; c.last = b.last;\n";
static const char op_more[] = "	for (unsigned &word : c.more) word = 0;\n";
/* Arrays of bytes are all TEST_POISON: what a kernel puts in place of bytes that are not there makes no element. */
static const char load_text[] = "span load(unsigned char x, unsigned long long i)\n"
	"{ span s = {}; s.magic = x == 0xa5 ? 0x5ca1ab1eu : 0; s.first = s.last = unsigned(i) + 1; return s; }\n";
static const char store_text[] = "unsigned store(const span &s) { return s.first == %d ? s.last : ~0u; }\n";

void span_problem(struct srt_problem *problem, size_t size, bool is_converted, const uint32_t *start)
{
	struct scanrt_problem given = SCANRT_PROBLEM_INIT;
	struct scanrt_user_type type = SCANRT_USER_TYPE_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;
	char type_text[128], op_text[512], to_number[128], more[32] = "";

	/* 4 bytes of padding, and no more. */
	if (size > 16)
		snprintf(more, sizeof(more), ", more[%zu]", size / 4 - 4);
	snprintf(type_text, sizeof(type_text), "struct alignas(16) span { unsigned magic, first, last%s; };\n", more);
	snprintf(op_text, sizeof(op_text), "%s%s	return c;\n}\n", op_head, size > 16 ? op_more : "");
	snprintf(to_number, sizeof(to_number), store_text, start ? 0 : 1);
	type.name = "span";
	type.text = type_text;
	type.bytes = size;
	type.alignment = 16;
	op.name = "neighbours";
	op.text = op_text;
	given.input_type = is_converted ? SCANRT_U8 : SCANRT_TYPE_USER;
	given.accumulator_type = SCANRT_TYPE_USER;
	given.user_accumulator = &type;
	given.output_type = is_converted ? SCANRT_U32 : SCANRT_TYPE_USER;
	if (!is_converted)
		given.user_input = given.user_output = &type;
	given.op = SCANRT_OPERATOR_USER;
	given.user_operator = &op;
	given.load_text = is_converted ? load_text : NULL;
	given.store_text = is_converted ? to_number : NULL;
	given.initial = start;
	test_need(srt_problem_init(problem, &given));
}

static void upload_elements(
	const struct test_device *device, const struct test_buffer *in, uint64_t count, size_t size)
{
	uint32_t *input = calloc(count, size);

	if (!input)
		abort();
	for (uint64_t i = 0; i < count; i++) {
		input[i * size / 4] = SPAN_MAGIC;
		input[i * size / 4 + 1] = input[i * size / 4 + 2] = (uint32_t)i + 1;
	}
	test_upload(device, in->address, input, count * size);
	free(input);
}

/* A result of a converted scan is its last element's number; of another, its part's. */
static bool results_pass(const struct test_device *device, const struct test_buffer *out, uint64_t count, size_t size,
	uint32_t first)
{
	uint32_t *seen = calloc(count, size);
	bool passes = true;

	if (!seen)
		abort();
	test_download(device, seen, out->address, count * size);
	for (uint64_t i = 0; i < count; i++) {
		const uint32_t *result = seen + i * size / 4;

		passes = passes && result[size > 4 ? 2 : 0] == i + 1 && (size == 4 || result[1] == first);
	}
	free(seen);
	return passes;
}

bool span_passes(const struct test_device *device, const struct srt_kernel *kernel,
	const struct srt_workspace *workspace, uint64_t count)
{
	size_t in_size = srt_problem_size(&kernel->problem, SRT_INPUT);
	size_t out_size = srt_problem_size(&kernel->problem, SRT_OUTPUT);
	struct test_buffer in, out;
	bool passes;

	test_buffer_create(&in, device, count * in_size, in_size > 1 ? 0 : count % 3);
	test_buffer_create(&out, device, count * out_size, 0);
	test_buffer_poison(&in, device);
	if (in_size > 1)
		upload_elements(device, &in, count, in_size);
	test_need(srt_kernel_launch(
		kernel, device->driver, workspace, out.address, in.address, count, 0, NULL));
	test_need(SRT_CALL(device->driver, cuStreamSynchronize, (NULL)));
	passes = results_pass(device, &out, count, out_size, kernel->problem.has_initial ? 0 : 1);
	test_buffer_destroy(&in, device);
	test_buffer_destroy(&out, device);
	return passes;
}
