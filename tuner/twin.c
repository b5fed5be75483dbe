/* SPDX-License-Identifier: MIT
 *
 * Variants that the compiler makes the same machine code of, say since a bound on registers binds neither: one of them
 * is enough to verify and time.
 */
#include "twin.h"

#include <elf.h>
#include <string.h>

#include "space.h"

/* FNV-1a: the images are few, small, and our own. */
static uint64_t mix(uint64_t hash, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* What the device loads: code, constants, and how much shared memory; names and notes are not loaded. */
static bool mix_section(uint64_t *hash, const unsigned char *bytes, size_t size, const Elf64_Shdr *section)
{
	*hash = mix(*hash, (const unsigned char *)&section->sh_size, sizeof section->sh_size);
	if (section->sh_type == SHT_NOBITS)
		return true;
	if (section->sh_offset > size || section->sh_size > size - section->sh_offset)
		return false;
	*hash = mix(*hash, bytes + section->sh_offset, section->sh_size);
	return true;
}

uint64_t tune_code_hash(const void *image, size_t size)
{
	const unsigned char *bytes = image;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	Elf64_Ehdr head;

	if (image == NULL || size < sizeof head || memcmp(image, ELFMAG, SELFMAG) != 0)
		return 0;
	memcpy(&head, image, sizeof head);
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shnum == 0 ||
		head.e_shoff > size || head.e_shnum * sizeof(Elf64_Shdr) > size - head.e_shoff)
		return 0;
	for (size_t i = 0; i < head.e_shnum; i++) {
		Elf64_Shdr section;

		memcpy(&section, bytes + head.e_shoff + i * sizeof section, sizeof section);
		if ((section.sh_flags & SHF_ALLOC) && !mix_section(&hash, bytes, size, &section))
			return 0;
	}
	return hash ? hash : 1;
}

/* Only the compiler looks at these three; of all others the host makes launches, too. */
bool tune_is_launched_alike(const struct srt_variant *a, const struct srt_variant *b)
{
	struct srt_variant like = *a;

	like.residency = b->residency;
	like.warp_scan = b->warp_scan;
	like.load = b->load;
	return tune_variant_is_equal(&like, b);
}
