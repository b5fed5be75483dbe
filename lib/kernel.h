/* SPDX-License-Identifier: MIT
 *
 * A loaded image, ready to launch.  The functions want the right context current (see srt_driver_push).
 */
#ifndef SRT_KERNEL_H
#define SRT_KERNEL_H

#include "device.h"
#include "image.h"
#include "problem.h"
#include "strategy.h"
#include "variant.h"

struct srt_driver;

struct srt_kernel {
	struct srt_problem problem; /* its user, if any, is the caller's to keep */
	struct srt_variant variant;
	const void *state;    /* on the device, of a user's operator: may be changed between launches */
	void *module;         /* CUmodule */
	void *functions[SRT_MOST_PHASES]; /* CUfunction, by phase; of what follows, the largest of all of them */
	int phases;
	int registers;        /* per thread */
	int local_bytes;      /* per thread; 0 in a shipped variant */
	int static_shared;    /* bytes */
	size_t dynamic_shared;/* bytes */
	int max_threads;      /* the smallest of all phases */
	int blocks_per_sm;    /* resident, by the driver's occupancy calculation; at least 1; the fewest */
	int sm_count;
	int shared_per_sm;    /* bytes, of which a launch may take more than it needs, to be spread evenly; or 0 */
	int reserved_shared;  /* bytes that each block takes beside its own */
	uint32_t cluster;     /* blocks of a cluster, at most; 0: it is launched without */
	bool may_overlap;     /* its launch may begin while the stream's previous one ends; the kernel waits for that */
	struct srt_replay *replay; /* of short kernels, or NULL */
};

/* Loads an image and reads the function's attributes; opts in to its shared memory; refuses a kernel that could not
 * be resident (SCANRT_ERROR_VARIANT) or does not load (SCANRT_ERROR_IMAGE). */
int srt_kernel_load(struct srt_kernel *kernel, const struct srt_driver *driver, const struct srt_device *device,
	const struct srt_problem *problem, const struct srt_variant *variant, const struct srt_image *image);
void srt_kernel_unload(struct srt_kernel *kernel, const struct srt_driver *driver);

/* Bytes of dynamic shared memory for a launch of so many blocks and elements. */
size_t srt_kernel_shared(const struct srt_kernel *kernel, uint32_t grid, uint64_t count);

/* The device memory that launches of kernels share, one launch at a time.  Any mix of kernels may use it in turn. */
struct srt_workspace {
	uint64_t address; /* device pointer */
	size_t size;      /* bytes */
	bool is_owned;
	struct srt_pool *pool; /* whose memory it is part of, or NULL */
};
int srt_workspace_create(struct srt_workspace *workspace, const struct srt_driver *driver, size_t size);
int srt_workspace_clear(const struct srt_workspace *workspace, const struct srt_driver *driver);
int srt_workspace_write(const struct srt_workspace *workspace, const struct srt_driver *driver, const void *bytes,
	size_t size);
void srt_workspace_destroy(struct srt_workspace *workspace, const struct srt_driver *driver);

/* Launches one scan of count elements, 1 <= count <= srt_variant_max_count(); arguments are not checked again.
 * grid_limit bounds the blocks of a persistent kernel; 0: as many as are resident. */
int srt_kernel_launch(const struct srt_kernel *kernel, const struct srt_driver *driver,
	const struct srt_workspace *workspace, uint64_t out, uint64_t in, uint64_t count, uint32_t grid_limit,
	void *stream);

#endif
