/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t append(char *text, size_t size, size_t at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static size_t append(char *text, size_t size, size_t at, const char *format, ...)
{
	va_list arguments;
	int length;

	if (at >= size)
		return at;
	va_start(arguments, format);
	length = vsnprintf(text + at, size - at, format, arguments);
	va_end(arguments);
	return length < 0 ? at : at + (size_t)length;
}

static size_t put_thread(char *text, size_t size, size_t at, const struct emu_warp *warp, int lane)
{
	const unsigned *block = warp->run->launch->block;
	unsigned thread = emu_thread_index(warp, lane < 0 ? 0 : lane);

	at = append(text, size, at, ", CTA (%u,%u,%u)", warp->cta->id[0], warp->cta->id[1], warp->cta->id[2]);
	if (lane < 0)
		return append(text, size, at, ", warp %u", warp->id);
	return append(text, size, at, ", thread (%u,%u,%u)", thread % block[0], thread / block[0] % block[1],
			thread / block[0] / block[1]);
}

/* The first fault is the one to tell: those of other warps before the launch ends mostly follow from it. */
int emu_fault(struct emu_warp *warp, const struct emu_insn *insn, int lane, CUresult code, const uint64_t *address,
		const char *format, ...)
{
	struct emu_result *result = warp->run->result;
	char *text = result->text;
	size_t size = sizeof result->text, at;
	va_list arguments;

	if (result->code != CUDA_SUCCESS)
		return STEP_FAULT;
	result->code = code;
	at = append(text, size, 0, "kernel %s, PTX line %u", warp->run->function->name, insn->line);
	at = put_thread(text, size, at, warp, lane);
	if (address)
		at = append(text, size, at, ", address 0x%llx", (unsigned long long)*address);
	at = append(text, size, at, ": ");
	if (at < size) {
		va_start(arguments, format);
		vsnprintf(text + at, size - at, format, arguments);
		va_end(arguments);
	}
	return STEP_FAULT;
}

void emu_run_fault(struct emu_run *run, CUresult code, const char *format, ...)
{
	struct emu_result *result = run->result;
	size_t at;
	va_list arguments;

	if (result->code != CUDA_SUCCESS)
		return;
	result->code = code;
	at = append(result->text, sizeof result->text, 0, "kernel %s: ", run->function->name);
	va_start(arguments, format);
	if (at < sizeof result->text)
		vsnprintf(result->text + at, sizeof result->text - at, format, arguments);
	va_end(arguments);
}

/* After these a context is lost, on a device too, and only its destruction helps. */
bool emu_is_sticky(CUresult code)
{
	switch (code) {
	case CUDA_ERROR_ILLEGAL_ADDRESS:
	case CUDA_ERROR_MISALIGNED_ADDRESS:
	case CUDA_ERROR_ILLEGAL_INSTRUCTION:
	case CUDA_ERROR_INVALID_ADDRESS_SPACE:
	case CUDA_ERROR_INVALID_PC:
	case CUDA_ERROR_HARDWARE_STACK_ERROR:
	case CUDA_ERROR_LAUNCH_FAILED:
	case CUDA_ERROR_LAUNCH_TIMEOUT:
	case CUDA_ERROR_ASSERT:
		return true;
	default:
		return false;
	}
}
