/* SPDX-License-Identifier: MIT
 *
 * The memory that a context has at hand: pieces of it, zeros for whoever gets them, allocations where it does not do.
 */
#include <string.h>

#include "driver.h"
#include "fake.h"
#include "planning.h"
#include "pool.h"
#include "tests/tap.h"

#define PIECE ((size_t)32 << 10)

static struct srt_pool *pool;
static const struct srt_driver *driver;

static struct srt_workspace take(size_t size)
{
	struct srt_workspace workspace;

	tap_is_int(srt_pool_take(&workspace, pool, driver, size), SCANRT_OK, "a workspace of %zu bytes is had", size);
	return workspace;
}

static void test_pieces(void)
{
	struct srt_workspace first = take(1);
	struct srt_workspace second = take(PIECE + 1);
	struct srt_workspace third = take(PIECE);

	tap_is_uint(first.address, pool->address, "the first workspace begins where the memory does");
	tap_is_uint(second.address, pool->address + PIECE, "the next behind its piece");
	tap_is_uint(third.address, pool->address + 3 * PIECE, "and the third behind both of the second's");
	tap_is_uint(pool->used, 0xf, "which are all that is in use");
	srt_workspace_destroy(&second, driver);
	tap_is_uint(pool->used, 0x9, "what is given back is free");
	second = take(2 * PIECE);
	tap_is_uint(second.address, pool->address + PIECE, "and goes to whom it is enough for");
	srt_workspace_destroy(&first, driver);
	srt_workspace_destroy(&second, driver);
	srt_workspace_destroy(&third, driver);
	tap_is_uint(pool->used, 0, "in the end all is free");
}

static void test_clearing(void)
{
	struct srt_workspace workspace;
	int calls;

	pool->dirty = 0;
	pool->is_clearing = true;
	calls = fake->calls;
	workspace = take(100);
	tap_is_int(fake->calls - calls, 1, "the first waits until all has been cleared");
	srt_workspace_destroy(&workspace, driver);
	calls = fake->calls;
	workspace = take(100);
	tap_is_int(fake->calls - calls, 2, "what has been used is cleared again, and waited for");
	srt_workspace_destroy(&workspace, driver);
	workspace = take(2 * PIECE);
	srt_workspace_destroy(&workspace, driver);
	pool->dirty = 1;
	pool->used = 1;
	calls = fake->calls;
	workspace = take(100);
	tap_is_int(fake->calls - calls, 0, "what nobody has used needs no call");
	srt_workspace_destroy(&workspace, driver);
	pool->dirty = 4;
	calls = fake->calls;
	workspace = take(2 * PIECE);
	tap_is_int(fake->calls - calls, 2, "all is cleared where the second of two pieces has been used");
	srt_workspace_destroy(&workspace, driver);
	pool->used = 0;
	pool->dirty = UINT64_MAX;
	fake->fail_name = "cuMemsetD8Async";
	fake->fail_code = 700;
	tap_ok(srt_pool_take(&workspace, pool, driver, 100) != SCANRT_OK, "what cannot be cleared is not had");
	fake->fail_name = NULL;
	tap_is_uint(pool->used, 0, "and not in use");
}

static void test_bounds(void)
{
	struct srt_workspace all = take(64 * PIECE);
	struct srt_workspace more;
	int allocations = fake->allocations;

	tap_is_uint(pool->used, UINT64_MAX, "one workspace can have all of it");
	more = take(1);
	tap_is_int(fake->allocations - allocations, 1, "the next is allocated");
	tap_ok(more.pool == NULL && more.is_owned, "for itself");
	srt_workspace_destroy(&more, driver);
	srt_workspace_destroy(&all, driver);
	all = take(64 * PIECE + 1);
	tap_is_int(fake->allocations - allocations, 1, "so is what is larger than all");
	srt_workspace_destroy(&all, driver);
	all = take(0);
	tap_ok(all.address == 0 && pool->used == 0, "nothing takes nothing");
	tap_is_int(fake->allocations, allocations, "all is freed");
}

int main(void)
{
	planning_begin();
	pool = &context->pool;
	driver = context->driver;
	driver->cuCtxPushCurrent(context->cuda_context);
	test_pieces();
	test_clearing();
	test_bounds();
	driver->cuCtxPopCurrent(&(CUcontext){ NULL });
	return planning_end();
}
