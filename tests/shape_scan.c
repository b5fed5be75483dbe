/* SPDX-License-Identifier: MIT */
#include "shape_scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void say(const struct shape_scan *scan, const char *what)
{
	struct srt_strbuf text = { 0 };

	srt_problem_format(&text, &scan->kernel->problem, true);
	srt_strbuf_append(&text, "; variant ");
	srt_variant_format(&text, &scan->kernel->variant);
	tap_diag("%s: %zu bytes; problem %s; count %" PRIu64 "; +%" PRIu64 "%s", what, scan->shape->size,
		srt_strbuf_text(&text), scan->count, scan->skew, scan->is_in_place ? " in place" : "");
	srt_strbuf_free(&text);
}

static bool results_pass(const struct shape_scan *scan, const unsigned char *seen)
{
	size_t size = scan->shape->size;
	const unsigned char *expected = scan->expected;
	uint64_t i = 0;

	while (i < scan->count && memcmp(seen + i * size, expected + i * size, size) == 0)
		i++;
	if (i == scan->count)
		return true;
	say(scan, "wrong result");
	tap_diag("first at %" PRIu64 ": wanted %02x %02x %02x..., saw %02x %02x %02x...", i, expected[i * size],
		expected[i * size + 1], expected[i * size + 2], seen[i * size], seen[i * size + 1], seen[i * size + 2]);
	return false;
}

bool shape_scan_passes(const struct test_device *device, const struct shape_scan *scan)
{
	size_t bytes = scan->count * scan->shape->size;
	struct test_buffer in = { 0 };
	struct test_buffer out = { 0 };
	unsigned char *seen = malloc(bytes);
	bool passes;

	if (!seen)
		abort();
	test_buffer_create(&out, device, bytes, scan->skew * scan->shape->alignment);
	if (!scan->is_in_place)
		test_buffer_create(&in, device, bytes, (scan->skew + 1) / 2 * scan->shape->alignment);
	else
		in = out;
	test_upload(device, in.address, scan->input, bytes);
	test_need(srt_kernel_launch(scan->kernel, device->driver, scan->workspace, out.address, in.address,
		scan->count, scan->grid_limit, NULL));
	test_need(SRT_CALL(device->driver, cuStreamSynchronize, (NULL)));
	test_download(device, seen, out.address, bytes);
	passes = results_pass(scan, seen);
	if (!test_guards_intact(&out, device)) {
		say(scan, "written outside the output");
		passes = false;
	}
	test_download(device, seen, in.address, bytes);
	if (!scan->is_in_place && memcmp(seen, scan->input, bytes) != 0) {
		say(scan, "the input was changed");
		passes = false;
	}
	test_buffer_destroy(&out, device);
	if (!scan->is_in_place)
		test_buffer_destroy(&in, device);
	free(seen);
	return passes;
}
