/* SPDX-License-Identifier: MIT */
#include "undefined.h"

#include "cluster.h"
#include "control.h"

#include <stdlib.h>

/* A mask of lanes for each place in the register file where a register may begin.  Registers that share a place in turn
 * share the mask, too: each is written, and its mask with it, before it is read. */
static uint32_t *mask_of(const struct emu_warp *warp, int32_t operand)
{
	return operand < 0 ? NULL : &warp->undefined[operand / 4];
}

static uint32_t undefined_lanes(const struct emu_warp *warp, int32_t operand)
{
	return operand < 0 ? 0 : *mask_of(warp, operand);
}

bool emu_undefined_is(const struct emu_warp *warp, int32_t operand, unsigned lane)
{
	return warp->undefined && undefined_lanes(warp, operand) >> lane & 1;
}

static void set_lanes(struct emu_warp *warp, int32_t operand, uint32_t lanes, uint32_t undefined)
{
	uint32_t *mask = mask_of(warp, operand);

	if (mask)
		*mask = (*mask & ~lanes) | (undefined & lanes);
}

void emu_undefined_set(struct emu_warp *warp, int32_t operand, unsigned lane, bool is_undefined)
{
	if (warp->undefined)
		set_lanes(warp, operand, 1u << lane, (uint32_t)is_undefined << lane);
}

static int used(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes, const char *how)
{
	return emu_fault(warp, insn, __builtin_ctz(lanes), CUDA_ERROR_LAUNCH_FAILED, NULL,
			"%s a value of local memory that nobody has written", how);
}

/* What all operands have that are read. */
static uint32_t sources(const struct emu_warp *warp, const struct emu_insn *insn)
{
	uint32_t undefined = 0;

	for (unsigned i = 0; i < insn->op_count; i++)
		if (!(insn->defines >> i & 1))
			undefined |= undefined_lanes(warp, insn->op[i]);
	return undefined;
}

/* A region has all lanes' bytes one after the other, so there are more masks than bytes of one lane: one a byte, from
 * its first place on. */
static uint32_t *masks_of_region(const struct emu_warp *warp, const struct emu_insn *insn, int32_t region,
		unsigned element)
{
	unsigned bytes = emu_type_bytes((enum emu_type)insn->type);

	return mask_of(warp, region) + insn->offset + element * bytes;
}

static void load_region(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	for (unsigned i = 0; i < insn->vector; i++) {
		const uint32_t *masks = masks_of_region(warp, insn, insn->op[insn->vector], i);
		uint32_t undefined = 0;

		for (unsigned k = 0; k < emu_type_bytes((enum emu_type)insn->type); k++)
			undefined |= masks[k];
		set_lanes(warp, insn->op[i], lanes, undefined);
	}
}

static void store_region(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	for (unsigned i = 0; i < insn->vector; i++) {
		uint32_t *masks = masks_of_region(warp, insn, insn->op[0], i);
		uint32_t undefined = undefined_lanes(warp, insn->op[i + 1]);

		for (unsigned k = 0; k < emu_type_bytes((enum emu_type)insn->type); k++)
			masks[k] = (masks[k] & ~lanes) | (undefined & lanes);
	}
}

void emu_undefined_copy(struct emu_warp *warp, int lane, int32_t to, int32_t from, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes && warp->undefined; i++)
		emu_undefined_set(warp, to + (int32_t)i * 4, (unsigned)lane,
			emu_undefined_is(warp, from + (int32_t)i * 4, (unsigned)lane));
}

static void clear_marks(uint8_t *marks, uint64_t first, uint64_t bytes)
{
	for (uint64_t bit = first; bit < first + bytes; bit++)
		marks[bit / 8] &= (uint8_t)~(1u << bit % 8);
}

void emu_undefined_spill(struct emu_warp *warp, int lane, uint64_t to, int32_t from, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes && warp->undefined; i++)
		if (emu_undefined_is(warp, from + (int32_t)i * 4, (unsigned)lane))
			clear_marks(warp->local_written, to + i, 1);
}

/* Of a selection counts only what was selected. */
static uint32_t selected(const struct emu_warp *warp, const struct emu_insn *insn)
{
	uint32_t yes = emu_in_mask(warp, insn->op[3]);

	return (undefined_lanes(warp, insn->op[1]) & yes) | (undefined_lanes(warp, insn->op[2]) & ~yes) |
		undefined_lanes(warp, insn->op[3]);
}

/* Values that are combined make another one of the kind; where there is no result, somebody outside looks at them. */
static int compute(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	uint32_t undefined = (emu_is_selection(insn) ? selected(warp, insn) : sources(warp, insn)) & lanes;

	if (undefined && !insn->defines)
		return used(warp, insn, undefined, "use of");
	for (unsigned i = 0; i < insn->op_count; i++)
		if (insn->defines >> i & 1)
			set_lanes(warp, insn->op[i], lanes, undefined);
	return STEP_NEXT;
}

/* A load defines its results, but for what emu_undefined_load() says later. */
static int address(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes, unsigned index)
{
	uint32_t undefined = undefined_lanes(warp, insn->op[index]) & lanes;

	if (undefined)
		return used(warp, insn, undefined, "an address from");
	for (unsigned i = 0; i < index; i++)
		set_lanes(warp, insn->op[i], lanes, 0);
	return STEP_NEXT;
}

int emu_undefined_step(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	if (insn->guard != NO_GUARD) {
		uint32_t mask = emu_in_mask(warp, insn->guard), undefined = undefined_lanes(warp, insn->guard) & lanes;

		if (undefined)
			return used(warp, insn, undefined, "a branch on");
		lanes &= insn->guard_negated ? ~mask : mask;
	}
	if (emu_is_load(insn))
		return address(warp, insn, lanes, insn->vector);
	if (emu_is_store(insn))
		return address(warp, insn, lanes, 0);
	if (insn->run == emu_run_load_region)
		load_region(warp, insn, lanes);
	else if (insn->run == emu_run_store_region)
		store_region(warp, insn, lanes);
	else
		return compute(warp, insn, lanes);
	return STEP_NEXT;
}

int emu_undefined_load(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	unsigned bytes = access->bytes / insn->vector;

	if (!warp->undefined)
		warp->undefined = calloc(warp->run->function->total_frame / 4 + 16, sizeof *warp->undefined);
	if (!warp->undefined)
		return emu_fault(warp, insn, -1, CUDA_ERROR_OUT_OF_MEMORY, NULL, "out of memory");
	for (unsigned i = 0; i < insn->vector; i++)
		for (uint32_t left = access->unwritten; left; left &= left - 1) {
			unsigned l = (unsigned)__builtin_ctz(left);
			uint64_t place = (uint64_t)l * warp->run->function->total_local + access->address[l];

			if (!emu_is_written(warp->local_written, place + (uint64_t)i * bytes, bytes))
				emu_undefined_set(warp, insn->op[i], l, true);
		}
	return STEP_NEXT;
}

/* The bits that say of a lane's memory what was written, and its first bit. */
static uint8_t *marks_of(const struct emu_access *access, const struct emu_warp *warp, unsigned lane, uint64_t *first)
{
	uint32_t offset;
	struct emu_cta *cta;

	if (access->space == SPACE_LOCAL) {
		*first = (uint64_t)lane * warp->run->function->total_local + access->address[lane];
		return warp->local_written;
	}
	cta = emu_cluster_owner((struct emu_warp *)warp, access->address[lane], &offset);
	*first = offset - EMU_SHARED_START;
	return cta->shared_written;
}

int emu_undefined_store(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	unsigned bytes = access->bytes / insn->vector;

	for (unsigned i = 0; i < insn->vector; i++)
		for (uint32_t left = undefined_lanes(warp, insn->op[i + 1]) & access->lanes; left; left &= left - 1) {
			unsigned l = (unsigned)__builtin_ctz(left);
			uint64_t first;
			uint8_t *marks;

			if (access->space != SPACE_LOCAL && access->space != SPACE_SHARED)
				return used(warp, insn, left, "a store to global memory of");
			marks = marks_of(access, warp, l, &first);
			clear_marks(marks, first + i * bytes, bytes);
		}
	return STEP_NEXT;
}
