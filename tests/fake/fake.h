/* SPDX-License-Identifier: MIT
 *
 * A CUDA driver and an NVRTC that do nothing but what a test tells them, and count what they hold.  They are shared
 * objects that the library loads through SCANRT_LIBCUDA and SCANRT_LIBNVRTC; the test reaches their script through
 * fake_driver() and fake_compiler(), which load the same files.
 *
 * Machine code is text: "SASS entry", "PTX entry", or "LINKED entry", which the fake linker makes of PTX.
 */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"

struct fake_launch {
	char entry[40];
	unsigned grid;
	unsigned block;
	unsigned shared;
	void *stream;
	void *context; /* current at the launch */
	struct scan_arguments arguments;
};

struct fake_driver {
	/* The script. */
	int device_count;
	int capability;
	int sm_count;
	int l2_bytes;
	int clock_khz;    /* of the memory and of the multiprocessors */
	int memory_clock_khz; /* 0: the same */
	int bus_bits;
	int clocks_asked; /* how often */
	const char *device_name;
	const char *missing;      /* a function that cuGetProcAddress does not know */
	bool is_stub;             /* every call returns CUDA_ERROR_STUB_LIBRARY */
	bool refuses_sass;
	bool is_capturing;        /* what cuStreamIsCapturing says */
	int occupancy;            /* blocks per SM */
	int max_threads;          /* of every function */
	const char *fail_name;    /* every call of this function fails */
	int fail_at;              /* the call with this number fails; from 1 */
	int fail_code;

	/* What happened. */
	int calls;
	char failed[64];          /* the function that fail_at met */
	int modules, allocations, streams, links, retained, depth; /* held now */
	int loads;                /* modules loaded ever */
	int optins;               /* times that dynamic shared memory was raised */
	int lowered;              /* times that it was set below what it had been for the function */
	int misplaced;            /* calls for a context while another one was current */
	size_t allocated;         /* bytes of the latest allocation */
	int launches;
	struct fake_launch launch; /* the latest */
};

struct fake_compiler {
	const char *fail_option;  /* a program with this option does not compile; "" : none does */
	int newest;               /* the newest architecture known */
	int fail_at;              /* the call with this number fails; from 1 */
	int fail_code;

	int calls;
	char failed[64];          /* the function that fail_at met */
	int programs;             /* held now */
	int compilations;         /* ever */
};

/* Loads the fake under the environment's name, sets the environment, and resets script and counts. */
struct fake_driver *fake_driver(void);
struct fake_compiler *fake_compiler(void);
void fake_driver_reset(struct fake_driver *driver);
void fake_compiler_reset(struct fake_compiler *compiler);

/* The file names, with the built tree's path. */
const char *fake_driver_path(void);
const char *fake_compiler_path(void);

/* A context that the fake knows for a device and that is not its primary one, for cuCtxGetCurrent to give. */
void fake_set_current(struct fake_driver *driver, bool is_set);

/* Nothing is held any more: the sum of all that could leak. */
int fake_held(const struct fake_driver *driver);

#endif
