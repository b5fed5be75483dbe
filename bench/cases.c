/* SPDX-License-Identifier: MIT
 *
 * What is measured, and what is wanted of it.  The targets are those of a GPU whose memory is far slower than its
 * multiprocessors, an H200 first of all; absolute times are an H200's.
 */
#include "table.h"

#define POWER(n) (UINT64_C(1) << (n))
#define QUICK true

const struct bench_family bench_families[] = {
	{ .section = "i32", .types = "i32", .ops = "sum", .peer = BENCH_OTHERS,
	  .points = { { POWER(20), .ratio = 1.2, .is_quick = QUICK }, { POWER(22), .ratio = 1.25, .is_quick = QUICK },
		      { POWER(24), .ratio = 1.28, .is_quick = QUICK },
		      { POWER(26), .share = 0.95, .ratio = 1.31, .is_quick = QUICK },
		      { POWER(28), .share = 0.98, .ratio = 1.34, .is_quick = QUICK },
		      { POWER(30), .share = 0.98 }, { POWER(32), .share = 0.98, .is_quick = QUICK } } },
	{ .section = "small", .types = "i32", .ops = "sum", .peer = BENCH_OTHERS,
	  .points = { { 1000, .ratio = 2, .us = 1.2, .is_quick = QUICK },
		      { 10000, .ratio = 1.45, .us = 2.1, .is_quick = QUICK },
		      { 100000, .ratio = 1.25, .us = 2.9, .is_quick = QUICK },
		      { 1000000, .ratio = 1.35, .us = 5.5, .is_quick = QUICK } } },
	{ .section = "wide", .types = "f32 i64 f64", .ops = "sum max", .peer = BENCH_OTHERS,
	  .points = { { POWER(26), .share = 0.95 }, { POWER(28), .share = 0.98, .is_quick = QUICK } } },
	{ .section = "wide", .types = "f32 f64", .ops = "sum", .points = { { POWER(30), .share = 0.98 } } },
	{ .section = "wide", .types = "i64", .ops = "sum",
	  .points = { { POWER(30), .share = 0.98 }, { POWER(32), .share = 0.98 } } },
	{ .section = "wide", .types = "i32 f32 i64", .ops = "sum", .has_exclusive = true, .peer = BENCH_OTHERS,
	  .points = { { POWER(28), .share = 0.98 } } },
	{ .section = "types", .types = "i32 u32 f32 i64 u64 f64", .ops = "sum prod min max and or xor",
	  .has_exclusive = true, .points = { { POWER(26), .share = 0.95 }, { POWER(28), .share = 0.98 } } },
	{ .section = "narrow", .types = "i8 u8", .ops = "sum min max", .peer = BENCH_OTHERS,
	  .points = { { POWER(28), .share = 0.93, .ratio = 3.6, .is_quick = QUICK }, { POWER(30), .share = 0.93 } } },
	{ .section = "narrow", .types = "i16 u16 f16 bf16", .ops = "sum min max", .peer = BENCH_OTHERS,
	  .points = { { POWER(28), .share = 0.97, .ratio = 2.05, .is_quick = QUICK }, { POWER(30), .share = 0.97 } } },
	{ .section = "16 bytes", .types = "c128 i128 u128", .ops = "sum", .peer = BENCH_OTHERS,
	  .points = { { POWER(26), .share = 0.93, .is_quick = QUICK } } },
	{ .section = "mixed", .types = "i8>i32>i32 f16>f32>f16 bf16>f32>bf16 i16>i32>i32 i32>i64>i64 f32>f64>f32",
	  .ops = "sum", .points = { { POWER(28), .share = 0.93, .is_quick = QUICK } } },
	{ .section = "placement", .types = "i8 i16 i32 i64", .ops = "sum", .layout = BENCH_MISALIGNED,
	  .peer = BENCH_ALIGNED, .points = { { POWER(28), .ratio = 0.9, .is_quick = QUICK } } },
	{ .section = "placement", .types = "i8 i16 i32 i64", .ops = "sum", .layout = BENCH_IN_PLACE,
	  .peer = BENCH_ALIGNED, .points = { { POWER(28), .ratio = 0.9, .is_quick = QUICK } } },
	{ .section = "reproducible", .types = "f16 f32 f64", .ops = "sum", .peer = BENCH_TUNED,
	  .flags = SCANRT_REPRODUCIBLE,
	  .points = { { POWER(20), .ratio = 0.9 }, { POWER(24), .ratio = 0.9 },
		      { POWER(28), .ratio = 0.9, .is_quick = QUICK } } },
	{ .section = NULL },
};
