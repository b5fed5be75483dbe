/* SPDX-License-Identifier: MIT */
/* Whatever is compressed comes back, and whatever is not what compressing makes is refused within its bounds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compress.h"
#include "fixture.h"
#include "tests/tap.h"

#define MOST 70000

static uint64_t state = 1;

static uint32_t next_random(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

/* Ends where the memory does, so that a memory checker sees a step too far. */
static unsigned char *take(size_t size)
{
	unsigned char *bytes = malloc(size > 0 ? size : 1);

	if (!bytes)
		tap_bail_out("out of memory");
	return bytes;
}

static unsigned char *copy_of(const unsigned char *bytes, size_t size)
{
	unsigned char *copy = take(size);

	memcpy(copy, bytes, size);
	return copy;
}

static bool comes_back(const unsigned char *bytes, size_t size, size_t *packed_size)
{
	unsigned char *packed = take(size);
	unsigned char *exact;
	unsigned char *seen = take(size);
	bool is_right;

	*packed_size = srt_compress(packed, bytes, size);
	exact = copy_of(packed, *packed_size);
	is_right = *packed_size < size && srt_can_decompress_to(size, *packed_size) &&
		srt_decompress(seen, size, exact, *packed_size) && memcmp(seen, bytes, size) == 0;
	free(packed);
	free(exact);
	free(seen);
	return *packed_size == 0 || is_right;
}

/* Pieces of noise, of one byte again and again, and of what stood before, near and far, short and long. */
static size_t make(unsigned char *bytes)
{
	static const size_t lengths[] = { 1, 2, 3, 4, 15, 16, 17, 128, 257, 258, 270, 271, 272, 525, 526, 1023, 1025,
		3000 };
	size_t most = 1 + next_random() % MOST;
	size_t size = 0;

	while (size < most) {
		size_t length = lengths[next_random() % (sizeof(lengths) / sizeof(lengths[0]))];
		uint32_t kind = next_random() % 4;
		size_t distance = kind == 1 ? 1 : kind == 2 ? 16 * (1 + next_random() % 256) : 1 + next_random() % MOST;

		for (; length > 0 && size < most; length--, size++)
			bytes[size] = (unsigned char)(kind == 0 || distance > size ? next_random()
				: bytes[size - distance]);
	}
	return size;
}

static void test_round_trips(void)
{
	unsigned char *bytes = take(MOST);
	size_t packed_size;
	int failures = 0;

	for (int i = 0; i < 150; i++) {
		size_t size = make(bytes);

		failures += !comes_back(bytes, size, &packed_size);
	}
	tap_is_int(failures, 0, "150 texts of pieces that repeat come back");
	for (size_t size = 1; size <= 600; size++) {
		memset(bytes, (int)size, size);
		failures += !comes_back(bytes, size, &packed_size) || (size >= 40 && packed_size == 0);
		bytes[size - 1]++; /* the end is a literal */
		failures += !comes_back(bytes, size, &packed_size);
	}
	tap_is_int(failures, 0, "a byte that repeats up to 600 times comes back, with and without another at the end");
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = (unsigned char)next_random();
	tap_ok(comes_back(bytes, MOST, &packed_size) && packed_size == 0, "noise is not worth it");
	free(bytes);
}

static void test_code(void)
{
	size_t in = 0, out = 0, packed_size;
	int failures = 0;

	for (int i = 0; i < 12; i++) {
		struct srt_db_image image;

		fixture_image(&image, i, "sum i32", "lookback");
		failures += !comes_back(image.bytes, image.size, &packed_size);
		in += packed_size > 0 ? image.size : 0;
		out += packed_size;
		free(image.bytes);
	}
	tap_is_int(failures, 0, "machine code comes back");
	tap_ok(out < in * 3 / 5, "code of which a fifth is noise takes three fifths: %zu bytes of %zu", out, in);
}

/* Every way to be wrong must be told from an end within the bounds, of which a memory checker has its own view. */
static void test_damage(void)
{
	unsigned char *bytes = take(MOST), *packed = take(MOST);
	int accepted = 0, wrong_size = 0;

	for (int i = 0; i < 60; i++) {
		size_t size = make(bytes), packed_size = srt_compress(packed, bytes, size);
		unsigned char *seen = take(size);

		for (int j = 0; j < 40 && packed_size > 0; j++) {
			size_t cut = next_random() % packed_size;
			unsigned char *exact = copy_of(packed, packed_size);

			accepted += srt_decompress(seen, size, packed, cut);
			exact[cut] ^= (unsigned char)(1 + next_random() % 255);
			srt_decompress(seen, size, exact, packed_size);
			free(exact);
		}
		wrong_size += packed_size > 0 && size > 1 && srt_decompress(seen, size - 1, packed, packed_size);
		free(seen);
	}
	tap_is_int(accepted, 0, "what was cut is refused");
	tap_is_int(wrong_size, 0, "so is what is said to be shorter than it is");
	for (int i = 0; i < 20000; i++) {
		size_t size = 1 + next_random() % 300, packed_size = next_random() % 60;
		unsigned char *noise = take(packed_size), *seen = take(size);

		for (size_t j = 0; j < packed_size; j++)
			noise[j] = (unsigned char)next_random();
		srt_decompress(seen, size, noise, packed_size);
		free(noise);
		free(seen);
	}
	tap_ok(true, "noise is read within its bounds");
	tap_ok(!srt_can_decompress_to(1 << 20, 100), "100 bytes are no megabyte");
	free(bytes);
	free(packed);
}

int main(void)
{
	tap_plan(0);
	test_round_trips();
	test_code();
	test_damage();
	return tap_done();
}
