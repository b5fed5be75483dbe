/* SPDX-License-Identifier: MIT
 *
 * The same bits wherever the arrays lie: addresses decide how a slice is loaded, moved, scanned and stored, but not the
 * order of combination.  Strategies whose order is fixed, at offsets of 0 to 3 elements of input and output from where
 * vectors begin, and in place; the last tile is not full.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../device.h"

#define OFFSETS 4 /* of each array, in elements */

struct alignment_case {
	const char *variant;
	int types[3];
	bool is_exclusive; /* with an initial value */
};

static const struct alignment_case cases[] = {
	{ "lookahead,block=64,items=12,stages=4,ahead=2,gather=2,store=stream", { SCANRT_F32, SCANRT_F32, SCANRT_F32 },
		false },
	{ "lookahead,block=64,items=12,stages=4,ahead=2,gather=2,store=bulk", { SCANRT_F32, SCANRT_F32, SCANRT_F32 },
		false },
	{ "lookahead,block=96,items=20,stages=3,ahead=1,store=stream", { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, true },
	{ "lookahead,block=96,items=20,stages=3,ahead=1,store=bulk", { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, true },
	{ "lookahead,block=32,items=24,stages=2,ahead=1,store=stream", { SCANRT_F16, SCANRT_F32, SCANRT_F16 }, false },
	{ "lookahead,block=32,items=24,stages=2,ahead=1,store=bulk", { SCANRT_F16, SCANRT_F32, SCANRT_F16 }, false },
	{ "cluster,block=128,items=4", { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, false },
	{ "reduce,block=64,items=12", { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, false },
	{ "fan,block=64,items=12", { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, false },
};

struct alignment {
	struct test_device device;
	struct srt_workspace workspace;
	struct srt_kernel kernel;
	struct reference reference;
	struct test_buffer in;
	struct test_buffer out;
	uint64_t in_bytes, out_bytes, results_bytes;
	unsigned char *first;
	unsigned char *later;
};

/* Many magnitudes, so that a change of order changes a bit somewhere; no sum is too large for 16 bits. */
static void fill(void *input, int type, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct element value = { 0, fmod((double)i * 3.14159265358979323846, 1.0), 0 };

		if (i % 5 == 0)
			value.high = -value.high / 64;
		element_store(type, input, i, value);
	}
}

static void begin(struct alignment *alignment, const struct alignment_case *at, uint64_t count)
{
	struct srt_problem problem;
	void *input = malloc(count * 8);

	if (!input)
		abort();
	test_problem(&problem, SCANRT_SUM, at->types[0], at->types[1], at->types[2], at->is_exclusive);
	if (at->is_exclusive)
		test_problem_set_initial(&problem, 1);
	fill(input, at->types[0], count);
	reference_create_from(&alignment->reference, &problem, input, true, count);
	free(input);
	test_kernel_create(&alignment->kernel, &alignment->device, &problem, at->variant);
	alignment->in_bytes = srt_type_size(at->types[0]);
	alignment->out_bytes = srt_type_size(at->types[2]);
	alignment->results_bytes = count * alignment->out_bytes;
	test_buffer_create(&alignment->in, &alignment->device, (count + OFFSETS) * alignment->in_bytes, 0);
	test_buffer_create(&alignment->out, &alignment->device, (count + OFFSETS) * alignment->out_bytes, 0);
	alignment->first = malloc(alignment->results_bytes);
	alignment->later = malloc(alignment->results_bytes);
	if (!alignment->first || !alignment->later)
		abort();
}

static void end(struct alignment *alignment)
{
	free(alignment->first);
	free(alignment->later);
	test_buffer_destroy(&alignment->in, &alignment->device);
	test_buffer_destroy(&alignment->out, &alignment->device);
	test_kernel_destroy(&alignment->kernel, &alignment->device);
	reference_destroy(&alignment->reference);
}

static void launch_at(struct alignment *alignment, void *results, unsigned in_offset, unsigned out_offset,
	bool is_in_place)
{
	const struct test_device *device = &alignment->device;
	uint64_t count = alignment->reference.count;
	CUdeviceptr in = alignment->in.address + in_offset * alignment->in_bytes;
	CUdeviceptr out = is_in_place ? in : alignment->out.address + out_offset * alignment->out_bytes;

	test_buffer_poison(&alignment->in, device);
	test_buffer_poison(&alignment->out, device);
	test_upload(device, in, alignment->reference.input, count * alignment->in_bytes);
	test_need(srt_kernel_launch(
		&alignment->kernel, device->driver, &alignment->workspace, out, in, count, 0, NULL));
	test_synchronize(device);
	test_download(device, results, out, alignment->results_bytes);
}

static bool bits_are_same_at(struct alignment *alignment, unsigned in_offset, unsigned out_offset, bool is_in_place)
{
	uint64_t i = 0;

	tap_case("input at +%u, output at +%u%s", in_offset, out_offset, is_in_place ? ", in place" : "");
	launch_at(alignment, alignment->later, in_offset, out_offset, is_in_place);
	tap_case(NULL);
	if (memcmp(alignment->first, alignment->later, alignment->results_bytes) == 0)
		return true;
	while (alignment->first[i] == alignment->later[i])
		i++;
	tap_diag("input at +%u, output at +%u%s: element %" PRIu64 " of %" PRIu64 " is the first that differs",
		in_offset, out_offset, is_in_place ? ", in place" : "", i / alignment->out_bytes,
		alignment->reference.count);
	return false;
}

static void check(struct alignment *alignment, const struct alignment_case *at, uint64_t count)
{
	struct test_scan scan = { &alignment->reference, &alignment->kernel, &alignment->workspace, count, 0, 0, false,
		0 };
	struct srt_strbuf name = { 0 };
	bool are_same = true;

	begin(alignment, at, count);
	srt_problem_format(&name, &alignment->reference.problem, false);
	launch_at(alignment, alignment->first, 0, 0, false);
	tap_ok(test_results_pass(&scan, alignment->first), "%s by %s keeps its error bound at %" PRIu64 " elements",
		srt_strbuf_text(&name), at->variant, count);
	for (unsigned i = 0; i < OFFSETS * OFFSETS && are_same; i++)
		are_same = bits_are_same_at(alignment, i % OFFSETS, i / OFFSETS, false);
	tap_ok(are_same, "B095: %s by %s gives the same bits wherever input and output begin", srt_strbuf_text(&name),
		at->variant);
	are_same = true;
	for (unsigned i = 0; i < OFFSETS && are_same; i++)
		are_same = bits_are_same_at(alignment, i, i, true);
	tap_ok(are_same, "B095: and in place");
	srt_strbuf_free(&name);
	end(alignment);
}

static bool can_run(const struct alignment *alignment, const struct alignment_case *at)
{
	return strncmp(at->variant, "cluster", 7) != 0 || alignment->device.facts.capability >= 90;
}

int main(void)
{
	struct alignment alignment = { 0 };
	uint64_t large;

	test_device_open(&alignment.device);
	tap_plan(0);
	large = test_cap(&alignment.device, 1000003);
	test_workspace_create(&alignment.workspace, &alignment.device, large);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t most = strncmp(cases[i].variant, "cluster", 7) == 0 ? 4001 : large;

		if (can_run(&alignment, &cases[i]))
			check(&alignment, &cases[i], large < most ? large : most);
	}
	srt_workspace_destroy(&alignment.workspace, alignment.device.driver);
	test_device_close(&alignment.device);
	return tap_done();
}
