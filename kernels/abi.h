/* SPDX-License-Identifier: MIT
 *
 * What host and device agree on: the one kernel parameter, the layout of the workspace, the epoch's range.  Plain C,
 * included by lib/ and, as an in-memory header, by the kernels.
 *
 * Workspace: SCAN_CONTROL_BYTES of control words, then the tile words.  All zero when fresh.
 *   control[0]  the ticket: epoch in the high 32 bits, next tile in the low 32.  One atomic add draws a tile and tells
 *               the launch's epoch; whoever draws the last of `draws` tickets stores (epoch + 1, 0) for the next one.
 *   control[1]  CTAs that have left, counted only in the last epoch, where the last one clears the tile words.
 *   tile words  SCAN_TILE_WORDS per tile, each 32 bits of tag (epoch and state) over 32 bits of value, so that a word
 *               of an earlier launch never passes for one of this launch and nothing is cleared between launches.
 *   scratch     at the workspace's end: what the launches of one scan leave for one another (see partials and local).
 *               Nothing outlives the scan, and tile words never lie here, so that nothing here passes for one.
 */
#ifndef SCAN_ABI_H
#define SCAN_ABI_H

#define SCAN_ABI 3 /* hashed into every image's key: raise it whenever this file changes meaning */

#define SCAN_CONTROL_BYTES 256
#define SCAN_EPOCH_LIMIT 0x3fffffffu /* epochs run from 0 to SCAN_EPOCH_LIMIT - 1: a tag is (epoch + 1) << 2 | state */
#define SCAN_INITIAL_BYTES 32  /* what is larger lies in device memory */
#define SCAN_VECTOR_BYTES 48   /* the elements that a thread moves at once, at most, but for a single one */
#define SCAN_WIDE_BYTES 16     /* larger values take a thread's registers for few of them */
#define SCAN_LARGE_BYTES 160   /* larger values do not fit a thread's registers: they stay in shared memory */

struct scan_arguments {
	void *out;
	const void *in;
	unsigned long long count;
	unsigned long long *control;
	unsigned long long *tile_words;
	unsigned long long tile_word_capacity;     /* how many the workspace holds */
	const void *initial_on_device;             /* or null: initial holds it, where the kernel was built with one */
	unsigned int tiles;
	unsigned int draws;                        /* tickets that this launch draws in total */
	/* Of strategies with several launches: */
	void *partials;                            /* accumulators: a total a tile, and then what comes before it */
	void *local;                               /* accumulators: scans of tiles that the output type cannot hold */
	unsigned int chunk;                        /* tiles a block */
	unsigned int reserved[3];
	unsigned char initial[SCAN_INITIAL_BYTES]; /* one accumulator element, 16-byte aligned by what precedes it */
	const void *state;                         /* of the caller's operator */
};

/* Of the kernels that results are held to (reference.cu). */
struct scan_reference_arguments {
	void *out;
	const void *in;
	void *values;                /* an accumulator for each element of the piece */
	void *carries;               /* one for each chunk, and one; the first is given, if has_carry */
	unsigned long long first;    /* the piece's first element's place in the array */
	unsigned long long count;    /* of the piece; at least 1 */
	unsigned long long chunk;    /* elements a thread */
	const void *state;
	unsigned int has_carry;
	unsigned int is_exclusive;
};

/* Of the kernels that try the operator (user_try.cu): accumulators of a record, a, b and c being neighbours. */
enum {
	SCAN_TRY_A, SCAN_TRY_B, SCAN_TRY_C, SCAN_TRY_AB, SCAN_TRY_AB_AGAIN, SCAN_TRY_BC, SCAN_TRY_LEFT, /* (a b) c */
	SCAN_TRY_RIGHT, /* a (b c) */ SCAN_TRY_BA, SCAN_TRY_IDENTITY, SCAN_TRY_IDENTITY_A, SCAN_TRY_A_IDENTITY,
	SCAN_TRY_SLOTS
};
struct scan_try_arguments {
	const void *in;
	void *values;
	void *results;               /* records, or the next values */
	unsigned long long count;    /* of values */
	const void *state;
};

#endif
