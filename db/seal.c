/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "internal.h"

void srt_db_hash(char text[SRT_DB_HASH_TEXT], const void *bytes, size_t size)
{
	XXH128_hash_t hash = XXH3_128bits(bytes, size);

	snprintf(text, SRT_DB_HASH_TEXT, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
}

/* The bits of a time: digits would depend on the locale and on rounding. */
static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

void srt_db_seal_choice(char seal[SRT_DB_HASH_TEXT], const struct srt_db_choice *choice)
{
	char text[1024];
	int length = snprintf(text, sizeof(text),
		"choice\n%s\n%s\n%s\n%s\n%s\n%" PRIu64 "\n%" PRIu64 "\n%" PRIu64 "\n%" PRIx64 "\n%" PRIx64 "\n%" PRIx64
		"\n%" PRIx64 "\n%" PRIx64 "\n",
		choice->fingerprint, choice->source_hash, choice->problem, choice->klass, choice->variant,
		choice->low_count, choice->high_count, choice->count, bits_of(choice->us), bits_of(choice->low_us),
		bits_of(choice->high_us), bits_of(choice->default_us), bits_of(choice->copy_us));

	srt_db_hash(seal, text, (size_t)length);
}

void srt_db_seal_image(char seal[SRT_DB_HASH_TEXT], const struct srt_db_image *image, const char *hash)
{
	char text[1024];
	int length = snprintf(text, sizeof(text), "kernel\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%d\n%d\n%d\n%s\n",
		image->recipe, image->key, image->entry, image->codegen, image->arch, image->toolchain, image->problem,
		image->variant, image->registers, image->shared_bytes, image->local_bytes, hash);

	srt_db_hash(seal, text, (size_t)length);
}
