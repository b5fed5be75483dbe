/* SPDX-License-Identifier: MIT
 *
 * The parts of scantune that need no device: its reference, its inputs, its statistics, its frames.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../../tuner/classes.h"
#include "../../tuner/data.h"
#include "../../tuner/half.h"
#include "../../tuner/json.h"
#include "../../tuner/reference.h"
#include "../../tuner/statistics.h"
#include "../../tuner/wire.h"
#include "problem.h"
#include "tap.h"

/* ---- Halves ---- */

static void test_halves(void)
{
	unsigned f16_bad = 0, bf16_bad = 0;

	for (unsigned bits = 0; bits < 65536; bits++) {
		float value = tune_from_f16((uint16_t)bits);

		f16_bad += !isnan(value) && tune_to_f16(value) != bits;
		value = tune_from_bf16((uint16_t)bits);
		bf16_bad += !isnan(value) && tune_to_bf16(value) != bits;
	}
	tap_is_uint(f16_bad, 0, "every f16 comes back from float as it was");
	tap_is_uint(bf16_bad, 0, "every bf16 comes back from float as it was");
	tap_is_uint(tune_to_f16(65519.0f), 0x7bff, "f16 rounds down to its largest value");
	tap_is_uint(tune_to_f16(65520.0f), 0x7c00, "f16 rounds to infinity from half way on");
	tap_is_uint(tune_to_f16(2049.0f), tune_to_f16(2048.0f), "f16 rounds a tie to even, down");
	tap_is_uint(tune_to_f16(2051.0f), tune_to_f16(2052.0f), "f16 rounds a tie to even, up");
	tap_is_uint(tune_to_f16(0x1p-25f), 0, "f16 rounds half of its least value to zero");
	tap_is_uint(tune_to_f16(-0x1.8p-25f), 0x8001, "f16 rounds more than half of it up, sign kept");
	tap_is_uint(tune_to_bf16(257.0f), tune_to_bf16(256.0f), "bf16 rounds a tie to even, down");
	tap_is_uint(tune_to_bf16(259.0f), tune_to_bf16(260.0f), "bf16 rounds a tie to even, up");
	tap_ok(isnan(tune_from_f16(tune_to_f16(NAN))) && isnan(tune_from_bf16(tune_to_bf16(NAN))), "NaN stays NaN");
}

/* ---- JSON ---- */

static void is_quoted(const char *text, const char *wanted, const char *name)
{
	struct srt_strbuf out = {0};

	tune_json_begin(&out);
	tune_json_text(&out, "k", text);
	tap_is_string(srt_strbuf_text(&out), wanted, "%s", name);
	srt_strbuf_free(&out);
}

static void test_json(void)
{
	is_quoted("a\"b\\c\n", "{\"k\":\"a\\\"b\\\\c\\u000a\"",
		"JSON escapes quotes, backslashes and control characters");
	is_quoted("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "{\"k\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
		"UTF-8 goes into JSON as it is");
	is_quoted("a\xff""b", "{\"k\":\"a\\ufffdb\"", "a byte that is no UTF-8 is replaced in JSON");
	is_quoted("\xe2\x82", "{\"k\":\"\\ufffd\\ufffd\"", "so is a character that the text's end cuts");
	is_quoted("\xc0\xaf", "{\"k\":\"\\ufffd\\ufffd\"", "and a character that is longer than it need be");
	is_quoted("\xed\xa0\x80", "{\"k\":\"\\ufffd\\ufffd\\ufffd\"", "and half of a surrogate pair");
}

/* ---- The reference ---- */

static void test_wrapping(void)
{
	const uint8_t in8[] = { 200, 100, 3 };
	const int32_t in32[] = { INT32_MAX, 1, -5 };
	const uint16_t factors[] = { 300, 300, 7 };
	uint8_t out8[3];
	int32_t out32[3];
	uint16_t products[3];
	struct tune_prefix prefix = {0};

	tune_reference_scan(out8, &prefix, in8, 3, SCANRT_U8, SCANRT_SUM);
	tap_is_bytes(out8, ((const uint8_t[]){ 200, 44, 47 }), 3, "sums of u8 wrap");
	prefix = (struct tune_prefix){0};
	tune_reference_scan(out32, &prefix, in32, 3, SCANRT_I32, SCANRT_SUM);
	tap_is_bytes(out32, ((const int32_t[]){ INT32_MAX, INT32_MIN, INT32_MAX - 4 }), 12, "sums of i32 wrap");
	prefix = (struct tune_prefix){0};
	tune_reference_scan(products, &prefix, factors, 3, SCANRT_U16, SCANRT_PROD);
	tap_is_bytes(products, ((const uint16_t[]){ 300, (uint16_t)90000, (uint16_t)(90000u * 7) }), 6,
		"products of u16 wrap");
}

static void test_order(void)
{
	const int8_t in[] = { 5, -7, 3, -7, 9 };
	int8_t out[5];
	const uint32_t maps[] = { 0x00020003, 0x00050007 }; /* x -> 2x + 3, then x -> 5x + 7: 10x + 22 */
	uint32_t composed[2];
	const uint16_t marks[] = { 0, 4, 0, 0, 6 };
	uint16_t last[5];
	struct tune_prefix prefix = {0};

	tune_reference_scan(out, &prefix, in, 5, SCANRT_I8, SCANRT_MIN);
	tap_is_bytes(out, ((const int8_t[]){ 5, -7, -7, -7, -7 }), 5, "minima of i8 are signed");
	prefix = (struct tune_prefix){0};
	tune_reference_scan(out, &prefix, in, 5, SCANRT_U8, SCANRT_MIN);
	tap_is_bytes(out, ((const int8_t[]){ 5, 5, 3, 3, 3 }), 5, "minima of u8 are not");
	prefix = (struct tune_prefix){0};
	tune_reference_scan(composed, &prefix, maps, 2, SCANRT_U32, SRT_OP_AFFINE);
	tap_is_uint(composed[1], 0x000a0016, "affine maps compose with the earlier one inside");
	prefix = (struct tune_prefix){0};
	tune_reference_scan(last, &prefix, marks, 5, SCANRT_U16, SRT_OP_LAST);
	tap_is_bytes(last, ((const uint16_t[]){ 0, 4, 4, 4, 6 }), 10, "the last mark stays");
}

static void test_pieces(void)
{
	float in[1000], whole[1000], pieces[1000];
	struct tune_prefix prefix = {0};

	for (int i = 0; i < 1000; i++)
		in[i] = (float)(i * 7919 % 31) - 15;
	tune_reference_scan(whole, &prefix, in, 1000, SCANRT_F32, SCANRT_SUM);
	prefix = (struct tune_prefix){0};
	tune_reference_scan(pieces, &prefix, in, 1, SCANRT_F32, SCANRT_SUM);
	tune_reference_scan(pieces + 1, &prefix, in + 1, 499, SCANRT_F32, SCANRT_SUM);
	tune_reference_scan(pieces + 500, &prefix, in + 500, 500, SCANRT_F32, SCANRT_SUM);
	tap_is_bytes(pieces, whole, sizeof whole, "a scan in pieces is the scan of the whole");
}

/* ---- Inputs ---- */

/* What a verification has to notice: every element that is wrong, one that is missing, a neighbour's. */
static void test_notices(int type, int op, bool is_exclusive)
{
	struct tune_data data;
	unsigned char seen[4096 * 8];
	const uint64_t count = 4096;
	size_t size = srt_type_size(type);
	unsigned missed = 0;

	if (!tune_data_init(&data, type, op, count, 7, true)) {
		tap_bail_out("no memory");
		return;
	}
	tap_case("%s %s%s", srt_op_name(op), srt_type_name(type), is_exclusive ? " exclusive" : "");
	memcpy(seen, data.identity, size);
	memcpy(seen + is_exclusive * size, data.inclusive, (count - is_exclusive) * size);
	tap_ok(tune_data_compare(&data, seen, count, is_exclusive, 0) == TUNE_SAME, "the right result passes");
	for (uint64_t i = 0; i < count; i++) {
		unsigned char *at = seen + i * size + (i % size);

		*at ^= 0x40;
		missed += tune_data_compare(&data, seen, count, is_exclusive, 0) != i;
		*at ^= 0x40;
	}
	tap_is_uint(missed, 0, "each wrong element is found where it is");
	tap_case("%s", "");
	tune_data_free(&data);
}

static void test_inputs(void)
{
	for (int i = 0; srt_type_at(i); i++)
		for (int j = 0; srt_op_at(j); j++) {
			struct srt_problem problem;

			if (srt_problem_init_simple(&problem, srt_type_at(i), srt_op_at(j)) == SCANRT_OK)
				test_notices(srt_type_at(i), srt_op_at(j), (i + j) % 2 != 0);
		}
}

/* Floats that round: bracketed otherwise they stay within the bound, with an element left out they do not. */
static void test_rounded(int type)
{
	struct tune_data data;
	const uint64_t count = 8192;
	static float seen[8192];
	double sum = 0;

	if (type != SCANRT_F32 || !tune_data_init(&data, type, SCANRT_SUM, count, 3, false)) {
		tap_bail_out("no memory");
		return;
	}
	for (uint64_t i = 0; i < count; i += 16) {
		float group = 0;

		for (uint64_t j = i; j < i + 16; j++) {
			group += ((const float *)data.input)[j];
			seen[j] = (float)sum + group;
		}
		sum = (double)((float)sum + group);
	}
	tap_ok(tune_data_compare(&data, seen, count, false, 16 + 512) == TUNE_SAME,
		"sums in groups are within the bound");
	for (uint64_t i = 5000; i < count; i++)
		seen[i] -= ((const float *)data.input)[4999];
	tap_is_uint(tune_data_compare(&data, seen, count, false, 64), 5000, "sums that miss an element are not");
	seen[100] = NAN;
	tap_is_uint(tune_data_compare(&data, seen, count, false, 16 + 512), 100, "a NaN is not");
	tune_data_free(&data);
}

/* ---- Statistics ---- */

static void test_statistics(void)
{
	struct tune_values values = {0};
	struct tune_summary summary;

	for (int i = 0; i < 5; i++)
		tune_values_add(&values, 5 - i);
	summary = tune_summarise(&values);
	tap_ok(summary.median == 3, "the median of five is the third");
	tap_ok(summary.low == 0 && summary.high == 0, "five values have no interval");
	for (int i = 6; i <= 100; i++)
		tune_values_add(&values, i);
	summary = tune_summarise(&values);
	tap_ok(summary.median == 50.5, "the median of an even number is between the two");
	tap_ok(summary.low == 40 && summary.high == 61, "the interval of a hundred is that of the ranks 40 and 61");
	values = (struct tune_values){0};
	for (int i = 0; i < 3; i++)
		tune_values_add(&values, 7);
	summary = tune_summarise(&values);
	tap_ok(summary.low == 7 && summary.high == 7, "a clock that never differs leaves no doubt");
	for (int i = 0; i < 1000; i++)
		tune_values_add(&values, i);
	tap_is_int(values.count, TUNE_VALUES_MAX, "a full list stays full");
	tap_ok(values.list[TUNE_VALUES_MAX - 1] == 999, "and has the latest value");
}

/* ---- Frames ---- */

/* Where one tile a multiprocessor is full and two are not yet: other variants win there than at the classes beside. */
static void test_classes(void)
{
	struct srt_device h200 = { .capability = 90, .sm_count = 132, .l2_bytes = 60 << 20, .has_clusters = true };
	struct srt_device small = { .capability = 90, .sm_count = 8, .l2_bytes = 1 << 20, .has_clusters = true };
	struct tune_class classes[TUNE_CLASS_MAX];
	bool rise = true;

	for (size_t element = 1; element <= 16; element *= 2)
		for (int is_small = 0; is_small < 2; is_small++) {
			size_t used = tune_classes(classes, is_small ? &small : &h200, element, NULL, 0, 0);
			size_t missing = is_small || element == 16;

			rise &= used + missing == TUNE_CLASS_MAX && classes[used - 1].high == INT64_MAX &&
				classes[used - 1].is_streaming;
			for (size_t i = 1; i < used; i++)
				rise &= classes[i].timing.count > classes[i - 1].timing.count &&
					classes[i].low == classes[i - 1].high + 1;
		}
	tap_ok(rise, "classes rise, on a device with a small L2, too, and leave no count out");
	tune_classes(classes, &h200, 4, NULL, 0, 0);
	tap_is_string(classes[5].name, "swell", "the class between one wave and half the L2 has its name");
	tap_is_uint(classes[5].timing.count, 1774080, "and about two tiles of shared memory for each multiprocessor");
	h200.has_clusters = false;
	tap_is_uint(tune_classes(classes, &h200, 4, NULL, 0, 0), 4, "without clusters there are four");
	tap_ok(classes[3].is_streaming, "the last of which streams, so that the device does not pass for a slow one");
}

static void test_frames(void)
{
	const char head[] = "head", tail[] = "and tail";
	struct tune_reader reader = {0};
	struct tune_frame frame = {0};
	unsigned char bytes[64];
	int pair[2], damaged[2];
	ssize_t size;

	if (pipe(pair) < 0 || pipe(damaged) < 0) {
		tap_bail_out("no pipe");
		return;
	}
	tap_ok(tune_wire_send(pair[1], 5, head, 4, tail, 8), "a frame is sent");
	tap_ok(tune_wire_wait(&frame, &reader, pair[0]) == TUNE_WIRE_FRAME, "and received");
	tap_is_uint(frame.kind, 5, "with its kind");
	tap_is_uint(frame.size, 12, "and its length");
	tap_is_bytes(frame.bytes, "headand tail", 12, "and its bytes");
	tune_frame_free(&frame);

	tune_wire_send(pair[1], 5, head, 4, tail, 8);
	size = read(pair[0], bytes, sizeof bytes);
	for (ssize_t i = 0; i < size; i++)
		if (write(pair[1], bytes + i, 1) != 1 || (i + 1 < size &&
		    tune_wire_receive(&frame, &reader, pair[0]) != TUNE_WIRE_MORE))
			tap_diag("byte %zd", i);
	tap_ok(tune_wire_receive(&frame, &reader, pair[0]) == TUNE_WIRE_FRAME,
		"a frame that comes byte by byte is whole");
	tune_frame_free(&frame);

	bytes[size - 1] ^= 1;
	tap_ok(write(damaged[1], bytes, (size_t)size) == size &&
		tune_wire_wait(&frame, &reader, damaged[0]) == TUNE_WIRE_DAMAGED, "a flipped bit is noticed");
	tune_reader_free(&reader);
	close(pair[1]);
	tap_ok(tune_wire_wait(&frame, &reader, pair[0]) == TUNE_WIRE_CLOSED, "so is an end that closed");
	tune_reader_free(&reader);
}

int main(void)
{
	tap_plan(0);
	test_halves();
	test_json();
	test_wrapping();
	test_order();
	test_pieces();
	test_inputs();
	test_rounded(SCANRT_F32);
	test_statistics();
	test_classes();
	test_frames();
	return tap_done();
}
