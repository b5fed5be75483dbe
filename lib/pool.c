/* SPDX-License-Identifier: MIT
 *
 * One allocation in pieces of one size; a workspace has a run of them.
 */
#include "pool.h"

#include <string.h>

#include "driver.h"
#include "status.h"

#define PIECES      64
#define PIECE_BYTES ((size_t)32 << 10)
#define POOL_BYTES  (PIECES * PIECE_BYTES) /* what a driver maps at least: 2 MiB */

static int allocate(struct srt_pool *pool, const struct srt_driver *driver)
{
	CUstream stream = NULL;
	CUdeviceptr address = 0;
	int status = SRT_CALL(driver, cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));

	if (!status)
		status = SRT_CALL(driver, cuMemAlloc, (&address, POOL_BYTES));
	pool->stream = stream;
	pool->address = address;
	if (!status)
		status = SRT_CALL(driver, cuMemsetD8Async, (address, 0, POOL_BYTES, stream));
	return status;
}

void srt_pool_close(struct srt_pool *pool, const struct srt_driver *driver)
{
	if (pool->address)
		driver->cuMemFree(pool->address);
	if (pool->stream)
		driver->cuStreamDestroy(pool->stream);
	pool->address = 0;
	pool->stream = NULL;
}

void srt_pool_open(struct srt_pool *pool, const struct srt_driver *driver)
{
	pool->is_clearing = true;
	if (allocate(pool, driver) == SCANRT_OK)
		return;
	srt_pool_close(pool, driver);
	srt_error_clear();
}

/* The bits of `count` pieces from `first` on. */
static uint64_t run(size_t first, size_t count)
{
	return (count < PIECES ? ((uint64_t)1 << count) - 1 : UINT64_MAX) << first;
}

static size_t pieces_of(size_t size)
{
	return (size + PIECE_BYTES - 1) / PIECE_BYTES;
}

/* The first piece of a free run, now used, or PIECES; whether it has to be cleared, and waited for. */
static size_t find(struct srt_pool *pool, size_t count, bool *is_dirty, bool *is_clearing)
{
	size_t first = 0;

	pthread_mutex_lock(&pool->lock);
	while (first + count <= PIECES && (pool->used & run(first, count)))
		first++;
	if (first + count > PIECES)
		first = PIECES;
	if (first < PIECES) {
		*is_dirty = pool->dirty & run(first, count);
		*is_clearing = pool->is_clearing;
		pool->used |= run(first, count);
		pool->dirty |= run(first, count);
	}
	pthread_mutex_unlock(&pool->lock);
	return first;
}

/* The wait makes the zeros visible to every stream. */
static int clear(struct srt_pool *pool, const struct srt_driver *driver, uint64_t address, size_t size, bool is_dirty,
	bool is_clearing)
{
	int status = SCANRT_OK;

	if (is_dirty)
		status = SRT_CALL(driver, cuMemsetD8Async, (address, 0, size, pool->stream));
	if (!status && (is_dirty || is_clearing))
		status = SRT_CALL(driver, cuStreamSynchronize, (pool->stream));
	if (status)
		return status;
	pthread_mutex_lock(&pool->lock);
	pool->is_clearing = false;
	pthread_mutex_unlock(&pool->lock);
	return SCANRT_OK;
}

int srt_pool_take(struct srt_workspace *workspace, struct srt_pool *pool, const struct srt_driver *driver, size_t size)
{
	bool is_dirty = false;
	bool is_clearing = false;
	size_t first = PIECES;
	int status;

	if (size > 0 && size <= POOL_BYTES && pool->address)
		first = find(pool, pieces_of(size), &is_dirty, &is_clearing);
	if (first == PIECES)
		return srt_workspace_create(workspace, driver, size);
	memset(workspace, 0, sizeof(*workspace));
	workspace->address = pool->address + first * PIECE_BYTES;
	workspace->size = size;
	workspace->pool = pool;
	status = clear(pool, driver, workspace->address, size, is_dirty, is_clearing);
	if (status)
		srt_workspace_destroy(workspace, driver);
	return status;
}

void srt_pool_give_back(struct srt_pool *pool, uint64_t address, size_t size)
{
	size_t first = (address - pool->address) / PIECE_BYTES;

	pthread_mutex_lock(&pool->lock);
	pool->used &= ~run(first, pieces_of(size));
	pthread_mutex_unlock(&pool->lock);
}
