/* SPDX-License-Identifier: MIT
 *
 * What every call of the Driver API does first and last: the lock, the process check, injected failures, the current
 * context and its sticky error.
 */
#include "driver.h"

#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock;
static pthread_once_t lock_once = PTHREAD_ONCE_INIT;
static pid_t owner; /* the process that called cuInit; 0 before */
static _Thread_local bool is_in_callback;
static _Thread_local bool is_unlocked; /* emu_enter refused without the lock */

/* Recursive, because a host function runs inside of the call that enqueues it and may make one of its own. */
static void create_lock(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

void emu_lock(void)
{
	pthread_once(&lock_once, create_lock);
	pthread_mutex_lock(&lock);
}

void emu_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static CUresult check(const char *function, enum emu_need need)
{
	struct CUctx_st *context;
	CUresult result;

	if (is_in_callback)
		return CUDA_ERROR_NOT_PERMITTED;
	if (need >= EMU_NEED_INIT && owner == 0)
		return CUDA_ERROR_NOT_INITIALIZED;
	context = emu_context_current();
	if (need >= EMU_NEED_CONTEXT && context == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (need >= EMU_NEED_CONTEXT && !emu_handle_is(EMU_HANDLE_CONTEXT, context))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (need >= EMU_NEED_CONTEXT && context->sticky != CUDA_SUCCESS)
		return context->sticky;
	result = emu_inject(function);
	if (result != CUDA_SUCCESS)
		return emu_result_is_sticky(result) && context != NULL ? emu_context_fault(context, result) : result;
	return need >= EMU_NEED_UNSAFE ? emu_capture_check_unsafe() : CUDA_SUCCESS;
}

CUresult emu_enter(const char *function, enum emu_need need)
{
	/* A child of fork() cannot use its parent's device, and the lock may be held by a thread that it lacks. */
	if (owner != 0 && owner != getpid()) {
		is_unlocked = true;
		return CUDA_ERROR_NOT_INITIALIZED;
	}
	emu_lock();
	return check(function, need);
}

CUresult emu_leave(CUresult result)
{
	if (!is_unlocked)
		emu_unlock();
	is_unlocked = false;
	return result;
}

void emu_callback_begin(void)
{
	is_in_callback = true;
}

void emu_callback_end(void)
{
	is_in_callback = false;
}

void emu_initialised(void)
{
	owner = getpid();
}

bool emu_is_initialised(void)
{
	return owner != 0;
}
