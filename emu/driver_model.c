/* SPDX-License-Identifier: MIT
 *
 * The GPUs that can be emulated.  Limits are the published ones; the bandwidths are what a copy reaches, so that the
 * modelled time of a kernel that moves its bytes once is the modelled time of a copy.
 */
#include "driver.h"

#include <string.h>

static const struct emu_model models[] = {
	/* A Hopper with few SMs and a small cache: all its size classes are small enough to be interpreted quickly. */
	{ .key = "tiny", .name = "scanrt emulated tiny", .capability_major = 9, .capability_minor = 0, .sm_count = 4,
	  .sm_clock_khz = 1000000, .memory_clock_khz = 1000000, .memory_bus_bits = 128, .l2_bytes = 131072,
	  .shared_per_sm = 233472, .shared_per_block = 232448, .reserved_shared = 1024, .registers_per_sm = 65536,
	  .threads_per_sm = 2048, .blocks_per_sm = 32, .has_ecc = 0, .has_clusters = 1, .dram_bytes_per_ns = 28,
	  .l2_bytes_per_ns = 80, .launch_ns = 600, .enqueue_ns = 1800, .memory_latency_ns = 600 },
	{ .key = "h200", .name = "scanrt emulated H200", .capability_major = 9, .capability_minor = 0, .sm_count = 132,
	  .sm_clock_khz = 1980000, .memory_clock_khz = 3201000, .memory_bus_bits = 6144, .l2_bytes = 62914560,
	  .shared_per_sm = 233472, .shared_per_block = 232448, .reserved_shared = 1024, .registers_per_sm = 65536,
	  .threads_per_sm = 2048, .blocks_per_sm = 32, .has_ecc = 1, .has_clusters = 1, .dram_bytes_per_ns = 4200,
	  .l2_bytes_per_ns = 7000, .launch_ns = 580, .enqueue_ns = 1800, .memory_latency_ns = 600 },
	{ .key = "rtx4090", .name = "scanrt emulated RTX 4090", .capability_major = 8, .capability_minor = 9,
	  .sm_count = 128, .sm_clock_khz = 2520000, .memory_clock_khz = 10501000, .memory_bus_bits = 384,
	  .l2_bytes = 75497472, .shared_per_sm = 102400, .shared_per_block = 101376, .reserved_shared = 1024,
	  .registers_per_sm = 65536, .threads_per_sm = 1536, .blocks_per_sm = 24, .has_ecc = 0, .has_clusters = 0,
	  .dram_bytes_per_ns = 930, .l2_bytes_per_ns = 4000, .launch_ns = 700, .enqueue_ns = 1800,
	  .memory_latency_ns = 550 },
	{ .key = "t4", .name = "scanrt emulated T4", .capability_major = 7, .capability_minor = 5, .sm_count = 40,
	  .sm_clock_khz = 1590000, .memory_clock_khz = 5001000, .memory_bus_bits = 256, .l2_bytes = 4194304,
	  .shared_per_sm = 65536, .shared_per_block = 65536, .reserved_shared = 0, .registers_per_sm = 65536,
	  .threads_per_sm = 1024, .blocks_per_sm = 16, .has_ecc = 1, .has_clusters = 0, .dram_bytes_per_ns = 260,
	  .l2_bytes_per_ns = 900, .launch_ns = 900, .enqueue_ns = 2200, .memory_latency_ns = 500 },
};

const struct emu_model *emu_model_find(const char *key)
{
	if (key == NULL || *key == '\0')
		return &models[0];
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		if (strcmp(models[i].key, key) == 0)
			return &models[i];
	}
	return NULL;
}
