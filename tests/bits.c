/* SPDX-License-Identifier: MIT */
#include "bits.h"

#include <math.h>
#include <stdlib.h>

struct element test_bits_element(uint64_t i)
{
	struct element value = { 0, fmod((double)i * 3.14159265358979323846, 1.0), 0 };

	if (i % 5 == 0)
		value.high = -value.high / 64;
	return value;
}

void test_bits_create(struct test_bits *bits, struct test_device *device, const struct srt_problem *problem,
	const char *variant, const void *input, uint64_t count, uint64_t spare)
{
	size_t in_bytes = srt_problem_size(problem, SRT_INPUT), out_bytes = srt_problem_size(problem, SRT_OUTPUT);

	reference_create_from(&bits->reference, problem, input, true, count);
	test_kernel_create(&bits->kernel, device, problem, variant);
	test_buffer_create(&bits->in, device, (count + spare) * in_bytes, 0);
	test_buffer_create(&bits->out, device, (count + spare) * out_bytes, 0);
	bits->first = malloc(count * out_bytes);
	bits->later = malloc(count * out_bytes);
	if (!bits->first || !bits->later)
		abort();
}

void test_bits_destroy(struct test_bits *bits, const struct test_device *device)
{
	free(bits->first);
	free(bits->later);
	test_buffer_destroy(&bits->in, device);
	test_buffer_destroy(&bits->out, device);
	test_kernel_destroy(&bits->kernel, device);
	reference_destroy(&bits->reference);
}
