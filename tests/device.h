/* SPDX-License-Identifier: MIT
 *
 * What the tests on a device share: opening it, memory with guard zones, kernels, and one checked scan.
 *
 * The programs of tests/gpu run on whatever device the library's own environment selects: the real one, or the
 * emulated one with SCANRT_DRIVER=emu.  Their size follows from
 *   SCANRT_TEST_MAX_COUNT  no scan is longer than this many elements; also makes the programs take fewer samples
 *   SCANRT_TEST_SEED       of the samples and the data (printed by each program)
 *   SCANRT_TEST_TIGHT=1    allocations end where the array ends, so that a memory checker sees what a guard zone
 *                          hides: reads beyond the array
 *   SCANRT_TEST_PART=K/N   only every N-th piece of work, from the K-th on, of a program that lets N processes share it
 *   SCANRT_TEST_TIMEOUT    seconds after which a program counts as hung; default 300
 *   SCANRT_REQUIRE_GPU=1   no device is a failure, not a reason to skip
 */
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/device.h"
#include "../lib/driver.h"
#include "../lib/image.h"
#include "../lib/kernel.h"
#include "../lib/rtc.h"
#include "../lib/scanrt.h"
#include "reference.h"
#include "tap.h"

struct test_device {
	const struct srt_driver *driver;
	const struct srt_rtc *rtc;
	struct srt_device facts;
	CUcontext context; /* the device's primary context, current on the thread that opened it */
	CUdevice handle;
	int ordinal;
	int codegen; /* enum srt_codegen: what this device takes */
	uint64_t seed;
	uint64_t max_count; /* UINT64_MAX: no limit */
	unsigned part;      /* of as many, from 0 */
	unsigned parts;
	unsigned pieces;    /* of work, so far */
};

/* Returns with a device or not at all: skips every test, or fails under SCANRT_REQUIRE_GPU=1. */
void test_device_open(struct test_device *device);
void test_device_close(struct test_device *device);
/* A public context on the same device; its own database is off. */
struct scanrt_context *test_context_create(const struct test_device *device);
/* A plan of the public interface for an internal problem; variant NULL: as the library resolves it. */
struct scanrt_plan *test_plan_create(
	struct scanrt_context *context, const struct srt_problem *problem, const char *variant, uint64_t max_count);
void test_problem_publish(struct scanrt_problem *published, const struct srt_problem *problem, uint64_t max_count);
/* Executes on fresh guarded memory, waits and checks. */
bool test_plan_passes(const struct test_device *device, struct scanrt_plan *plan, const struct reference *reference,
	uint64_t count, CUstream stream);

bool test_is_small(const struct test_device *device);                /* a limit on the count is set */
uint64_t test_cap(const struct test_device *device, uint64_t count); /* the count, or the limit */
bool test_takes_next(struct test_device *device); /* whether the next piece of work is for this part */
unsigned test_rounds(const struct test_device *device, unsigned full, unsigned small);

/* A call that must succeed for the rest to make sense; bails out with the library's sentence. */
#define test_need(call) test_need_at(__FILE__, __LINE__, (call), #call)
void test_need_at(const char *file, int line, int status, const char *call);
#define test_drive(device, function, arguments) test_need(SRT_CALL((device)->driver, function, arguments))

/* A reproducible sequence. */
struct test_random {
	uint64_t seed;
	uint64_t drawn;
};
uint64_t test_draw(struct test_random *random, uint64_t below); /* 0 .. below - 1 */

/* ---- Memory ---- */

#define TEST_GUARD  4096 /* bytes on either side */
#define TEST_POISON 0xa5

/* An array of `size` bytes at `address`, which is 256-byte aligned but for `skew` bytes. */
struct test_buffer {
	CUdeviceptr base;
	CUdeviceptr address;
	uint64_t size;
	uint64_t before; /* bytes of guard */
	uint64_t after;
};
void test_buffer_create(struct test_buffer *buffer, const struct test_device *device, uint64_t size, uint64_t skew);
void test_buffer_destroy(struct test_buffer *buffer, const struct test_device *device);
void test_buffer_poison(const struct test_buffer *buffer, const struct test_device *device); /* array and guards */
void test_upload(const struct test_device *device, CUdeviceptr to, const void *from, uint64_t size);
void test_download(const struct test_device *device, void *to, CUdeviceptr from, uint64_t size);
bool test_guards_intact(const struct test_buffer *buffer, const struct test_device *device);

/* ---- Kernels ---- */

/* Compiles and loads; SASS or, where the device refuses that, PTX. */
int test_kernel_try(struct srt_kernel *kernel, struct test_device *device, const struct srt_problem *problem,
	const struct srt_variant *variant, int codegen);
void test_kernel_create(
	struct srt_kernel *kernel, struct test_device *device, const struct srt_problem *problem, const char *variant);
void test_kernel_destroy(struct srt_kernel *kernel, const struct test_device *device);
/* Room for count elements of every kernel of the tests. */
void test_workspace_create(struct srt_workspace *workspace, const struct test_device *device, uint64_t count);
uint32_t test_resident(const struct srt_kernel *kernel); /* blocks on the whole device */
/* Launches that were queued have run, and the device has no error. */
void test_synchronize(const struct test_device *device);

/* ---- One checked scan ---- */

struct test_scan {
	const struct reference *reference;
	const struct srt_kernel *kernel;
	const struct srt_workspace *workspace;
	uint64_t count;
	uint64_t skip_in; /* elements off the 256-byte boundary */
	uint64_t skip_out;
	bool is_in_place; /* skip_out then counts for both */
	uint32_t grid_limit;
};
/* Uploads, poisons, launches, and checks result, input and guard zones; says what is wrong. */
bool test_scan_passes(const struct test_device *device, const struct test_scan *scan);
/* The scan that test_scan_passes() is at, if any: for a program that cannot go on. */
void test_say_current_scan(void);
/* Checks results that are on the host already, with the same words. */
bool test_results_pass(const struct test_scan *scan, const void *seen);

/* "i8 i32 i32" etc: a problem of three types, resolved; no initial value. */
void test_problem(struct srt_problem *problem, int op, int input, int accumulator, int output, bool is_exclusive);
/* A random initial value that fits the exact data of reference.h. */
void test_problem_set_initial(struct srt_problem *problem, uint64_t seed);

#endif
