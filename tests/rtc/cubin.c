/* SPDX-License-Identifier: MIT */
#include "cubin.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

/* Attributes of .nv.info as cuobjdump shows them: a format, a kind, and the size of the value that follows. */
#define FORMAT_SIZED 4
#define KIND_FRAME_SIZE 0x11

static Elf64_Ehdr header_of(const char *bytes, size_t size)
{
	Elf64_Ehdr header = { 0 };

	if (size >= sizeof(header))
		memcpy(&header, bytes, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof(Elf64_Shdr)
		|| header.e_shoff + (size_t)header.e_shnum * sizeof(Elf64_Shdr) > size)
		tap_bail_out("%zu bytes are no cubin", size);
	return header;
}

static Elf64_Shdr section_at(const char *bytes, const Elf64_Ehdr *header, int index)
{
	Elf64_Shdr section;

	memcpy(&section, bytes + header->e_shoff + (size_t)index * sizeof(section), sizeof(section));
	return section;
}

/* The first section behind `last` whose name begins so; index -1: none. */
static int find_section_after(Elf64_Shdr *found, const char *bytes, size_t size, const char *prefix, int last)
{
	Elf64_Ehdr header = header_of(bytes, size);
	Elf64_Shdr names = section_at(bytes, &header, header.e_shstrndx);
	int i;

	for (i = last + 1; i < header.e_shnum; i++) {
		*found = section_at(bytes, &header, i);
		if (strncmp(bytes + names.sh_offset + found->sh_name, prefix, strlen(prefix)) == 0)
			return i;
	}
	return -1;
}

static int find_section(Elf64_Shdr *found, const char *bytes, size_t size, const char *prefix)
{
	return find_section_after(found, bytes, size, prefix, -1);
}

size_t cubin_shared_bytes(const void *bytes, size_t size)
{
	Elf64_Shdr section;
	size_t most = 0;
	int index = -1;

	while ((index = find_section_after(&section, bytes, size, ".nv.shared.scan_", index)) >= 0)
		most = section.sh_size > most ? section.sh_size : most;
	return most;
}

bool cubin_has_variables(const void *bytes, size_t size)
{
	Elf64_Shdr section;

	return find_section(&section, bytes, size, ".nv.global") >= 0 ||
		find_section(&section, bytes, size, ".nv.constant4") >= 0;
}

bool cubin_has_kernel(const void *bytes, size_t size, const char *name)
{
	Elf64_Shdr section;
	char wanted[80];

	snprintf(wanted, sizeof(wanted), ".text.%s", name);
	return find_section(&section, bytes, size, wanted) >= 0;
}

size_t cubin_stack_bytes(const void *bytes, size_t size)
{
	Elf64_Shdr section;
	const unsigned char *at;
	const unsigned char *end;
	uint32_t frame;
	size_t most = 0;
	size_t length;

	if (find_section(&section, bytes, size, ".nv.info") < 0)
		tap_bail_out("a cubin without .nv.info");
	at = (const unsigned char *)bytes + section.sh_offset;
	end = at + section.sh_size;
	for (; end - at >= 4; at += 4 + length) {
		length = at[0] == FORMAT_SIZED ? (size_t)at[2] | (size_t)at[3] << 8 : 0;
		if (at[0] != FORMAT_SIZED || at[1] != KIND_FRAME_SIZE || length < 8)
			continue;
		memcpy(&frame, at + 8, sizeof(frame));
		most = frame > most ? frame : most;
	}
	return most;
}
