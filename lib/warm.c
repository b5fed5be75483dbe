/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "warm.h"

#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

#define BLOCK_BYTES ((size_t)96 << 10) /* below 128 KiB, from where on glibc maps blocks apart */
#define STACK_BYTES ((size_t)48 << 10)

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

/* The whole pages of it.  Never written through: another thread may have its data on the same ones. */
static void populate(uintptr_t begin, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t end = (begin + size) & ~(page - 1);

	begin = (begin + page - 1) & ~(page - 1);
	if (begin < end)
		madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
}

/* Freed, the two blocks are one that the next requests are served from; the third, behind them, keeps the heap's end
 * away from it, which a large block at the end would go back to the system with. */
static void *warm_heap(void)
{
	void *low = malloc(BLOCK_BYTES);
	void *high = malloc(BLOCK_BYTES);
	void *end = malloc(1);

	if (low)
		populate((uintptr_t)low, BLOCK_BYTES);
	if (high)
		populate((uintptr_t)high, BLOCK_BYTES);
	free(low);
	free(high);
	return end;
}

void *srt_warm_memory(void)
{
	char here;

	/* Below this function's frame, where the next calls have theirs; stacks grow downwards wherever CUDA is. */
	populate((uintptr_t)&here - STACK_BYTES, STACK_BYTES);
	return warm_heap();
}
