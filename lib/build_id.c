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

struct build_search {
	uintptr_t address; /* of a function of the library */
	char *text;
	bool is_found;
};

/* A note is a header, a name and the bytes, each padded to 4 bytes. */
static bool read_build_id(char text[SRT_BUILD_ID_SIZE], const char *notes, size_t size)
{
	ElfW(Nhdr) note;
	size_t name_size;
	size_t i;

	while (size >= sizeof(note)) {
		memcpy(&note, notes, sizeof(note));
		name_size = (note.n_namesz + 3u) & ~3u;
		if (size - sizeof(note) < name_size + note.n_descsz)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz >= 8) {
			for (i = 0; i < 8; i++)
				snprintf(text + 2 * i, 3, "%02x", (unsigned char)notes[sizeof(note) + name_size + i]);
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
	return 1;
}

void srt_build_id(char text[SRT_BUILD_ID_SIZE], const void *address)
{
	struct build_search search = { (uintptr_t)address, text, false };

	dl_iterate_phdr(visit_library, &search);
	if (!search.is_found)
		snprintf(text, SRT_BUILD_ID_SIZE, "unknown");
}
