/* SPDX-License-Identifier: MIT
 *
 * Facts about a device that choose and limit kernels, and the fingerprint under which results are kept.
 */
#ifndef SRT_DEVICE_H
#define SRT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "strbuf.h"

struct srt_driver;

/* A fact that the driver does not tell is 0. */
struct srt_device {
	char name[128];
	char uuid[40];            /* hexadecimal; identifies, never a key */
	char pci_bus_id[20];
	int ordinal;
	int driver_version;       /* as cuDriverGetVersion: 13000 */
	int capability;           /* 75, 80, 90, 100, 120, ... */
	int sm_count;
	int64_t l2_bytes;
	int memory_bus_bits;
	int memory_clock_khz;
	int sm_clock_khz;
	int shared_per_sm;        /* bytes */
	int shared_per_block;     /* bytes, opted in */
	int registers_per_sm;
	int registers_per_block;
	int threads_per_sm;
	int threads_per_block;
	int blocks_per_sm;
	int reserved_shared_per_block; /* bytes that the system takes */
	int has_clusters;         /* 1 where blocks can be launched in clusters */
	int has_ecc;              /* 1, 0, or -1 unknown */
	int is_emulated;          /* 1 where the name says so: modelled rows are marked; no other code may ask */
	uint64_t memory_bytes;
	uint64_t memory_free;     /* when asked */
	char mig_profile[32];     /* "" outside MIG or unknown */
};

int srt_device_query(struct srt_device *device, const struct srt_driver *driver, int ordinal);
/* The same but for the clocks, which stay unknown: each of the two takes half a millisecond of a driver, and all the
 * rest a hundredth of that. */
int srt_device_query_quick(struct srt_device *device, const struct srt_driver *driver, int ordinal);
void srt_device_query_clocks(struct srt_device *device, const struct srt_driver *driver);

/* "cc90 sm132 l2=62914560 ..." : capability, SM count, L2, bus width, memory and SM clocks, shared memory, registers,
 * ECC, MIG; unknown facts left out.  Not the name, UUID, memory size or driver. */
void srt_device_fingerprint(struct srt_strbuf *out, const struct srt_device *device);
/* Whether a fingerprint is that of the device in all but the clocks, where the device's clocks are unknown. */
bool srt_device_fits(const struct srt_device *device, const char *fingerprint);
/* Capability, SM count, L2, bus width. */
void srt_device_family(struct srt_strbuf *out, const struct srt_device *device);

#endif
