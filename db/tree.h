/* SPDX-License-Identifier: MIT
 *
 * What pages.c, which reads pages, shares with tree.c, which searches them.
 */
#ifndef SRT_TREE_H
#define SRT_TREE_H

#include "record.h"

struct srt_page {
	uint32_t number;
	unsigned char *bytes;
};

/* A visit reads some dozens of pages, and many of them twice.  All are kept until the end, so that rows may point
 * into them. */
#define SRT_PAGE_RUN 16

struct srt_pages {
	size_t page_size;
	size_t usable;
	uint32_t page_count;
	struct srt_page *loaded;
	size_t count;
	size_t capacity;
	uint32_t roots[SRT_TREE_COUNT];
};

/* A page of a table's tree, or of an index's. */
int srt_pages_node(struct srt_node *node, const struct srt_db *db, uint32_t number, bool is_table);

#endif
