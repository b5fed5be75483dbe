/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "build_id.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define END_BYTES 4096

struct build_search {
	uintptr_t address; /* of a function of the library */
	char *text;
	bool is_found;
};

static void write_digits(char text[SRT_BUILD_ID_SIZE], const unsigned char bytes[8])
{
	int i;

	for (i = 0; i < 8; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* A note is a header, a name and the bytes, each padded to 4 bytes. */
static bool read_build_id(char text[SRT_BUILD_ID_SIZE], const char *notes, size_t size)
{
	ElfW(Nhdr) note;
	size_t name_size;

	while (size >= sizeof(note)) {
		memcpy(&note, notes, sizeof(note));
		name_size = (note.n_namesz + 3u) & ~3u;
		if (size - sizeof(note) < name_size + note.n_descsz)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz >= 8) {
			write_digits(text, (const unsigned char *)notes + sizeof(note) + name_size);
			return true;
		}
		name_size += sizeof(note) + ((note.n_descsz + 3u) & ~3u);
		if (name_size > size)
			return false;
		notes += name_size;
		size -= name_size;
	}
	return false;
}

/* Where there is no note, or a tool that edited the file has lost it: the file's size and both its ends, which hold the
 * tables of segments and sections with all their sizes, are as good as unique. */
static bool hash_ends(char text[SRT_BUILD_ID_SIZE], const char *path)
{
	struct {
		unsigned char first[END_BYTES];
		unsigned char last[END_BYTES];
		unsigned char size[8];
	} ends = { { 0 }, { 0 }, { 0 } };
	XXH64_canonical_t hash;
	FILE *file = fopen(path, "rbe");
	long size = -1;
	bool is_read;
	int i;

	if (!file)
		return false;
	is_read = fread(ends.first, END_BYTES, 1, file) == 1 && fseek(file, -END_BYTES, SEEK_END) == 0
		&& fread(ends.last, END_BYTES, 1, file) == 1 && (size = ftell(file)) >= 0;
	fclose(file);
	for (i = 0; i < 8; i++)
		ends.size[i] = (unsigned char)((uint64_t)size >> (8 * i));
	XXH64_canonicalFromHash(&hash, XXH3_64bits(&ends, sizeof(ends)));
	if (is_read)
		write_digits(text, hash.digest);
	return is_read;
}

static int visit_library(struct dl_phdr_info *info, size_t size, void *user)
{
	struct build_search *search = user;
	const ElfW(Phdr) *header = info->dlpi_phdr;
	const ElfW(Phdr) *end = header + info->dlpi_phnum;
	bool is_ours = false;

	(void)size;
	for (; header < end; header++)
		if (header->p_type == PT_LOAD && search->address - info->dlpi_addr - header->p_vaddr < header->p_memsz)
			is_ours = true;
	if (!is_ours)
		return 0;
	for (header = info->dlpi_phdr; header < end && !search->is_found; header++)
		if (header->p_type == PT_NOTE)
			search->is_found = read_build_id(
				search->text, (const char *)(info->dlpi_addr + header->p_vaddr), header->p_memsz);
	if (!search->is_found)
		search->is_found = hash_ends(search->text, info->dlpi_name);
	return 1;
}

void srt_build_id(char text[SRT_BUILD_ID_SIZE], const void *address)
{
	struct build_search search = { (uintptr_t)address, text, false };

	dl_iterate_phdr(visit_library, &search);
	if (!search.is_found)
		snprintf(text, SRT_BUILD_ID_SIZE, "unknown");
}
