/* SPDX-License-Identifier: MIT */
#include "builtin.h"

#include "memory.h"
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

/* A module may print; what it prints is dropped, and the call tells so by its result. */
static int print_nothing(
	struct emu_warp *warp, const struct emu_insn *insn, const struct emu_call *call, uint32_t lanes)
{
	const uint32_t none = 0;

	(void)insn;
	for (uint32_t left = lanes; left && call->result != NO_OPERAND; left &= left - 1)
		memcpy((char *)emu_out(warp, call->result) + (uint32_t)__builtin_ctz(left) * 16, &none, sizeof none);
	return STEP_NEXT;
}

static const struct emu_builtin builtins[] = {
	{ "__assertfail", assert_fails },
	{ "vprintf", print_nothing },
};

const struct emu_builtin *emu_builtin_find(const char *name)
{
	for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}
