/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "warm.h"

#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

static bool is_in(const struct dl_phdr_info *object, const ElfW(Phdr) *part, uintptr_t address)
{
	uintptr_t begin = object->dlpi_addr + part->p_vaddr;

	return part->p_type == PT_LOAD && address >= begin && address - begin < part->p_memsz;
}

static void map(const struct dl_phdr_info *object, const ElfW(Phdr) *part)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
	uintptr_t end = object->dlpi_addr + part->p_vaddr + part->p_filesz;

	/* What fails is mapped when it is touched, as ever. */
	if (part->p_type == PT_LOAD && !(part->p_flags & PF_W))
		madvise((void *)begin, end - begin, MADV_POPULATE_READ);
}

/* Of all objects of the process, the one that this code is in. */
static int visit(struct dl_phdr_info *object, size_t size, void *user)
{
	bool is_ours = false;

	(void)size;
	(void)user;
	for (int i = 0; i < object->dlpi_phnum; i++)
		is_ours |= is_in(object, &object->dlpi_phdr[i], (uintptr_t)visit);
	for (int i = 0; is_ours && i < object->dlpi_phnum; i++)
		map(object, &object->dlpi_phdr[i]);
	return is_ours;
}

static void warm(void)
{
	dl_iterate_phdr(visit, NULL);
}

void srt_warm(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, warm);
}
