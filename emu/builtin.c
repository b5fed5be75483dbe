/* SPDX-License-Identifier: MIT */
#include "builtin.h"

#include "memory.h"
#include "print.h"
#include "state.h"

#include <string.h>

static uint64_t argument(struct emu_warp *warp, const struct emu_call *call, uint32_t index, int lane)
{
	uint64_t value = 0;
	uint32_t bytes = call->argument_bytes[index], stride = (bytes + 15) / 16 * 16;

	memcpy(&value, (char *)emu_out(warp, call->arguments[index]) + (uint32_t)lane * stride,
			bytes < 8 ? bytes : 8);
	return value;
}

static void read_text(char *text, size_t size, const struct emu_warp *warp, uint64_t address)
{
	const struct emu_allocation *found = emu_memory_lookup(warp->run->machine, address);
	size_t at = 0;

	while (found && !found->is_freed && at + 1 < size && address + at - found->base < found->bytes) {
		text[at] = (char)found->data[address + at - found->base];
		if (!text[at])
			return;
		at++;
	}
	text[at] = '\0';
}

static int assert_fails(struct emu_warp *warp, const struct emu_insn *insn, const struct emu_call *call, uint32_t lanes)
{
	int lane = __builtin_ctz(lanes);
	char message[256] = "", file[256] = "";

	if (call->argument_count < 3)
		return emu_fault(warp, insn, lane, CUDA_ERROR_ASSERT, NULL, "assertion failed");
	read_text(message, sizeof message, warp, argument(warp, call, 0, lane));
	read_text(file, sizeof file, warp, argument(warp, call, 1, lane));
	return emu_fault(warp, insn, lane, CUDA_ERROR_ASSERT, NULL, "assertion '%s' failed in %s, line %u", message,
			file, (unsigned)argument(warp, call, 2, lane));
}

static void give_result(struct emu_warp *warp, const struct emu_call *call, int lane, uint64_t value)
{
	uint32_t bytes = call->result_bytes, stride = (bytes + 15) / 16 * 16;

	if (call->result != NO_OPERAND)
		memcpy((char *)emu_out(warp, call->result) + (uint32_t)lane * stride, &value, bytes < 8 ? bytes : 8);
}

/* vprintf(format, arguments): the arguments lie one behind the other, each aligned to its size. */
static int print(struct emu_warp *warp, const struct emu_insn *insn, const struct emu_call *call, uint32_t lanes)
{
	char format[1024];

	if (call->argument_count < 2)
		return emu_fault(warp, insn, __builtin_ctz(lanes), CUDA_ERROR_ILLEGAL_INSTRUCTION, NULL,
				"vprintf with %u arguments", call->argument_count);
	for (uint32_t left = lanes; left; left &= left - 1) {
		int lane = __builtin_ctz(left);

		read_text(format, sizeof format, warp, argument(warp, call, 0, lane));
		give_result(warp, call, lane, emu_print(warp, lane, format, argument(warp, call, 1, lane)));
	}
	return STEP_NEXT;
}

/* The device's heap is the device's memory. */
static int allocate(struct emu_warp *warp, const struct emu_insn *insn, const struct emu_call *call, uint32_t lanes)
{
	(void)insn;
	for (uint32_t left = lanes; left && call->argument_count; left &= left - 1) {
		int lane = __builtin_ctz(left);
		uint64_t address = 0;

		if (emu_memory_alloc(&address, warp->run->machine, argument(warp, call, 0, lane)) != CUDA_SUCCESS)
			address = 0;
		give_result(warp, call, lane, address);
	}
	return STEP_NEXT;
}

static int release(struct emu_warp *warp, const struct emu_insn *insn, const struct emu_call *call, uint32_t lanes)
{
	for (uint32_t left = lanes; left && call->argument_count; left &= left - 1) {
		int lane = __builtin_ctz(left);
		uint64_t address = argument(warp, call, 0, lane);

		if (address && emu_memory_free(warp->run->machine, address) != CUDA_SUCCESS)
			return emu_fault(warp, insn, lane, CUDA_ERROR_ILLEGAL_ADDRESS, &address,
					"free of something that malloc has not given, or twice");
	}
	return STEP_NEXT;
}

static const struct emu_builtin builtins[] = {
	{ "__assertfail", assert_fails },
	{ "vprintf", print },
	{ "malloc", allocate },
	{ "free", release },
};

const struct emu_builtin *emu_builtin_find(const char *name)
{
	for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}
