/* SPDX-License-Identifier: MIT
 *
 * A variant: one point of the space that the tuner searches.  Its text form names the strategy and every knob that
 * differs from the strategy's default, in a fixed order:
 *   lookahead,block=384,items=24,stages=6,ahead=4
 * Parsing a formatted variant gives it back, and formatting a parsed one gives the canonical text.
 */
#ifndef SRT_VARIANT_H
#define SRT_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "problem.h"
#include "strbuf.h"

/* SRT_BLOCK, SRT_LOOKBACK, ...: the rows of strategy.def. */
enum srt_strategy {
#define STRATEGY(constant, number, ...) SRT_##constant = number,
#include "strategy.def"
#undef STRATEGY
};
enum srt_warp_scan { SRT_WARP_SHUFFLE = 1, SRT_WARP_SHARED = 2 };
/* How a block scans its tile: the rows of circuit.def, from 1. */
enum srt_circuit {
	SRT_CIRCUIT_NONE,
#define CIRCUIT(constant, name, file, slots) SRT_CIRCUIT_##constant,
#include "circuit.def"
#undef CIRCUIT
	SRT_CIRCUIT_END
};
const char *srt_circuit_file(int circuit); /* of kernels/ */
enum srt_exchange { SRT_EXCHANGE_WARP = 1, SRT_EXCHANGE_BLOCK = 2 }; /* whose totals the blocks of a cluster exchange */
/* Cache policy of the loads or stores of elements; bulk, for look-ahead and one block: slices are scanned in
 * shared memory and copied from there, look-ahead's full ones in bulk from sm_90 on; place, for look-ahead: the same
 * with all partial results in place of the elements (one type, without conversions). */
enum srt_access { SRT_ACCESS_PLAIN = 1, SRT_ACCESS_STREAM = 2, SRT_ACCESS_BULK = 3, SRT_ACCESS_PLACE = 4 };

struct srt_variant {
	int strategy;
	int block;     /* threads that scan, a multiple of 32; lookahead adds three warps */
	int items;     /* elements per thread and tile, whole srt_problem_vector()s or a power of two below */
	int lanes;     /* large: threads to each of those that apply the operator, and have the items */
	int warp_scan; /* enum srt_warp_scan */
	int circuit;   /* enum srt_circuit; all but lookahead */
	int fan;       /* values that a thread of SRT_CIRCUIT_RAKING combines */
	int load;      /* enum srt_access */
	int store;
	int residency; /* blocks per SM that the compiler is asked to make room for */
	int stages;    /* lookahead: tiles of shared memory in the ring */
	int ahead;     /* lookahead: how many tiles the reduction runs ahead of the scan; < stages */
	int gather;    /* lookahead, totals: batches of 32 totals that are read at once */
	int teams;     /* lookahead: 2: a set of `block` threads reduces, another scans; only for SRT_ACCESS_PLACE */
	int cluster;   /* cluster: blocks at most, a power of two */
	int exchange;  /* cluster: enum srt_exchange */
	int partials;  /* reduce-fixed: chunks that the elements are dealt out in, at most */
};

#define SRT_VARIANT_TEXT_SIZE 160 /* no canonical text is longer, terminator included */

int srt_variant_parse(struct srt_variant *variant, const char *text);
void srt_variant_format(struct srt_strbuf *out, const struct srt_variant *variant);

/* A knob.  Parsing, formatting, the checks of ranges and the compiler's options are all driven by the table of these:
 * a new knob is one row there, its member above, and its default in the rows of the strategies that have it. */
struct srt_knob {
	const char *name;  /* in the text form */
	const char *macro; /* in the kernels */
	size_t offset;     /* of its int in struct srt_variant */
	int least;
	int most;
	int step;          /* every value is a multiple of it */
	const char *const *values; /* names of least..most, where people do not write numbers; else NULL */
};
extern const struct srt_knob srt_knobs[]; /* ends with a NULL name */
const struct srt_knob *srt_knob_find(const char *name); /* NULL where there is none */
int srt_knob_get(const struct srt_knob *knob, const struct srt_variant *variant);
void srt_knob_set(const struct srt_knob *knob, struct srt_variant *variant, int value);
/* 0: the strategy has no such knob, and the member is 0. */
int srt_knob_default(const struct srt_knob *knob, int strategy);

const char *srt_strategy_name(int strategy); /* NULL for an unknown one */
/* Every knob at its strategy's default. */
void srt_variant_init(struct srt_variant *variant, enum srt_strategy strategy);

/* Elements that a thread moves at once: as many of the wider of input and output type as fill 16-byte vectors, where
 * few do; else one. */
int srt_problem_vector(const struct srt_problem *problem);

/* The same for a variant: less where its items do not fill 16 bytes. */
int srt_variant_vector(const struct srt_variant *variant, const struct srt_problem *problem);


/* Is it a variant that can run this problem on this device?  The message names the knob and the limit.  device may be
 * NULL: then only what holds on every device is checked. */
int srt_variant_check(const struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);

/* The part of it that needs neither: every knob in its range. */
int srt_variant_check_ranges(const struct srt_variant *variant);

uint32_t srt_variant_tile(const struct srt_variant *variant);    /* elements per tile */
uint32_t srt_variant_threads(const struct srt_variant *variant); /* threads per block */
size_t srt_variant_shared_bytes(const struct srt_variant *variant, const struct srt_problem *problem); /* dynamic */
/* The kernel's own shared memory, at most; what it really takes is known once it is compiled. */
size_t srt_variant_static_bytes(const struct srt_variant *variant, const struct srt_problem *problem);
uint32_t srt_problem_tile_words(const struct srt_problem *problem); /* 64-bit words of a tagged value */
uint32_t srt_variant_tile_words(const struct srt_variant *variant, const struct srt_problem *problem); /* per tile */
/* Workspace for counts up to max_count: state (SCAN_CONTROL_BYTES and the tile words) and scratch; 0 for one block. */
size_t srt_variant_workspace(const struct srt_variant *variant, const struct srt_problem *problem, uint64_t max_count);
/* Kernels that share a workspace share its state, which stays from launch to launch, and its scratch, which does not.
 * The two never overlap, so that scratch is never taken for state: add up the kernels from all zero, then ask. */
struct srt_workspace_need {
	size_t state;
	size_t scratch;
};
void srt_workspace_need_add(struct srt_workspace_need *need, const struct srt_variant *variant,
	const struct srt_problem *problem, uint64_t max_count);
size_t srt_workspace_need_bytes(const struct srt_workspace_need *need);
uint64_t srt_variant_max_count(const struct srt_variant *variant); /* all tiles that the strategy takes */

#endif
