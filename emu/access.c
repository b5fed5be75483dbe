/* SPDX-License-Identifier: MIT */
#include "access.h"

#include "cluster.h"
#include "lanes.h"
#include "race.h"

#include <string.h>

void emu_access_addresses(struct emu_access *access, const struct emu_warp *warp, const struct emu_insn *insn,
		unsigned index, uint32_t lanes)
{
	uint64_t offset = (uint64_t)insn->offset;
	const void *base = emu_in(warp, insn->op[index]);
	const uint64_t *wide = base;
	const uint32_t *narrow = base;

	access->lanes = lanes;
	if (insn->flags & INSN_WIDE_ADDR)
		EACH_LANE(lanes, access->address[l] = wide[l] + offset);
	else
		EACH_LANE(lanes, access->address[l] = (uint32_t)(narrow[l] + (uint32_t)offset));
}

/* A generic address tells its space by the window that it lies in, as on the device; what is in none is global. */
static enum emu_space window_of(uint64_t address, uint64_t *window)
{
	static const struct {
		uint64_t base;
		enum emu_space space;
	} windows[] = {
		{ EMU_SHARED_WINDOW, SPACE_SHARED },
		{ EMU_LOCAL_WINDOW, SPACE_LOCAL },
		{ EMU_PARAM_WINDOW, SPACE_PARAM },
	};

	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
		if (address - windows[i].base < EMU_WINDOW_BYTES) {
			*window = windows[i].base;
			return windows[i].space;
		}
	*window = 0;
	return SPACE_GLOBAL;
}

/* The lanes of one generic access may mean different spaces.  Each space has its own rules, so the caller goes on
 * with the lanes of one space at a time until none is left. */
uint32_t emu_access_split(struct emu_access *access, uint32_t lanes)
{
	uint64_t window, other;
	uint32_t same = 0;

	access->space = window_of(access->address[__builtin_ctz(lanes)], &window);
	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		if (window_of(access->address[l], &other) != access->space)
			continue;
		access->address[l] -= window;
		same |= 1u << l;
	}
	return same;
}

static const char *verb(const struct emu_access *access)
{
	return access->kind == ACCESS_READ ? "read" : access->kind == ACCESS_WRITE ? "write" : "atomic operation";
}

/* Each of these names the address and the size, since that is what a user searches the source for. */
static int misaligned(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn, int l)
{
	return emu_fault(warp, insn, l, CUDA_ERROR_MISALIGNED_ADDRESS, &access->address[l],
			"misaligned %s of %u bytes", verb(access), access->bytes);
}

static int not_written(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn, int l,
		const char *where)
{
	return emu_fault(warp, insn, l, CUDA_ERROR_LAUNCH_FAILED, &access->address[l],
			"%s of %u bytes of %s memory that nobody has written", verb(access), access->bytes, where);
}

/* An address is looked up once more here, where time no longer matters: freed memory is still known, so that use after
 * free is told from a stray pointer. */
static int out_of_global(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn, int l)
{
	const struct emu_allocation *freed = emu_memory_lookup(warp->run->machine, access->address[l]);
	char where[160];

	emu_memory_describe(where, sizeof where, warp->run->machine, access->address[l]);
	return emu_fault(warp, insn, l, CUDA_ERROR_ILLEGAL_ADDRESS, &access->address[l], "%s %s of %u bytes: %s",
			freed && freed->is_freed ? "use after free," : "out-of-bounds global", verb(access),
			access->bytes, where);
}

static bool holds(const struct emu_allocation *allocation, uint64_t address, unsigned bytes)
{
	return !allocation->is_freed && address - allocation->base < allocation->bytes &&
		bytes <= allocation->bytes - (address - allocation->base);
}

/* The allocations that a warp used last are tried first. */
static struct emu_allocation *find_allocation(struct emu_warp *warp, uint64_t address, unsigned bytes)
{
	struct emu_allocation *found;

	for (unsigned i = 0; i < 4; i++) {
		found = warp->recent[i];
		if (found && holds(found, address, bytes))
			return found;
	}
	found = emu_memory_lookup(warp->run->machine, address);
	if (!found || !holds(found, address, bytes))
		return NULL;
	memmove(warp->recent + 1, warp->recent, 3 * sizeof *warp->recent);
	return warp->recent[0] = found;
}

/* A store marks its bytes as written before it is known whether it races: the race is the fault that counts, and after
 * a fault nothing is read any more. */
static int check_global_lane(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn, int l,
		struct emu_allocation *found)
{
	uint64_t offset = access->address[l] - found->base;

	access->host[l] = found->data + offset;
	access->allocation[l] = found;
	if (access->kind != ACCESS_READ && found->is_constant)
		return emu_fault(warp, insn, l, CUDA_ERROR_ILLEGAL_ADDRESS, &access->address[l],
				"%s of constant memory", verb(access));
	if (found->written && access->kind != ACCESS_WRITE && !emu_is_written(found->written, offset, access->bytes))
		return not_written(access, warp, insn, l, "global");
	if (found->written && access->kind == ACCESS_WRITE)
		emu_set_written(found->written, offset, access->bytes);
	return STEP_NEXT;
}

/* Neighbouring lanes mostly hit one allocation, so the last one found is asked first and the search is left to the
 * lanes that leave it. */
static int resolve_global(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	struct emu_allocation *found = NULL;

	for (uint32_t left = access->lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		uint64_t address = access->address[l];

		if (address & (access->bytes - 1))
			return misaligned(access, warp, insn, l);
		if (!found || address - found->base >= found->bytes ||
				access->bytes > found->bytes - (address - found->base))
			found = find_allocation(warp, address, access->bytes);
		if (!found)
			return out_of_global(access, warp, insn, l);
		if (check_global_lane(access, warp, insn, l, found) == STEP_FAULT)
			return STEP_FAULT;
	}
	return emu_race_global(access, warp, insn);
}

/* Static and dynamic shared memory are checked as two ranges: running from one into the other is a mistake, even where
 * they are neighbours. */
static bool is_in_shared(const struct emu_run *run, uint32_t offset, unsigned bytes)
{
	uint32_t base = run->module->dynamic_base;

	return (offset >= EMU_SHARED_START && offset + bytes <= EMU_SHARED_START + run->static_shared) ||
		(offset >= base && offset + bytes <= base + run->dynamic_shared);
}

static int out_of_shared(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn, int l)
{
	return emu_fault(warp, insn, l, CUDA_ERROR_ILLEGAL_ADDRESS, &access->address[l],
			"out-of-bounds shared %s of %u bytes: "
			"the CTA has %u static bytes at 0x%x and %u dynamic bytes at 0x%x",
			verb(access), access->bytes, warp->run->static_shared, EMU_SHARED_START,
			warp->run->dynamic_shared, warp->run->module->dynamic_base);
}

static int resolve_shared(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	for (uint32_t left = access->lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		uint32_t offset;
		struct emu_cta *cta = emu_cluster_owner(warp, access->address[l], &offset);

		if (!cta || !is_in_shared(warp->run, offset, access->bytes))
			return out_of_shared(access, warp, insn, l);
		if (offset & (access->bytes - 1))
			return misaligned(access, warp, insn, l);
		if (emu_cluster_check_peer(warp, insn, l, cta, access->address[l]) == STEP_FAULT)
			return STEP_FAULT;
		offset -= EMU_SHARED_START;
		access->cta[l] = cta;
		access->host[l] = cta->shared + offset;
		if (access->kind != ACCESS_WRITE && !emu_is_written(cta->shared_written, offset, access->bytes))
			return not_written(access, warp, insn, l, "shared");
		if (access->kind == ACCESS_WRITE)
			emu_set_written(cta->shared_written, offset, access->bytes);
	}
	return emu_race_shared(access, warp, insn);
}

/* Lane after lane, as the memory of each is its own; nobody else can see it, so there is nothing to race with. */
static int resolve_local(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	uint32_t bytes = warp->run->function->total_local;

	for (uint32_t left = access->lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		uint64_t offset = access->address[l], place = (uint64_t)l * bytes + offset;

		if (offset >= bytes || access->bytes > bytes - offset)
			return emu_fault(warp, insn, l, CUDA_ERROR_ILLEGAL_ADDRESS, &access->address[l],
					"out-of-bounds local %s of %u bytes: a thread has %u", verb(access),
					access->bytes, bytes);
		if (offset & (access->bytes - 1))
			return misaligned(access, warp, insn, l);
		if (access->kind == ACCESS_READ && !emu_is_written(warp->local_written, place, access->bytes))
			access->unwritten |= 1u << l;
		if (access->kind == ACCESS_WRITE)
			emu_set_written(warp->local_written, place, access->bytes);
		access->host[l] = warp->local + place;
	}
	return STEP_NEXT;
}

/* Parameters are in the caller's memory and constant for the whole launch, hence neither marks nor races. */
static int resolve_param(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	const struct emu_launch *launch = warp->run->launch;

	for (uint32_t left = access->lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		uint64_t offset = access->address[l];

		if (access->kind != ACCESS_READ || offset >= launch->parameter_bytes ||
				access->bytes > launch->parameter_bytes - offset)
			return emu_fault(warp, insn, l, CUDA_ERROR_ILLEGAL_ADDRESS, &access->address[l],
					"out-of-bounds %s of %u bytes of parameters", verb(access), access->bytes);
		if (offset & (access->bytes - 1))
			return misaligned(access, warp, insn, l);
		access->host[l] = (unsigned char *)(uintptr_t)launch->parameters + offset;
	}
	return STEP_NEXT;
}

int emu_access_resolve(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	access->unwritten = 0;
	switch (access->space) {
	case SPACE_SHARED:
		return resolve_shared(access, warp, insn);
	case SPACE_LOCAL:
		return resolve_local(access, warp, insn);
	case SPACE_PARAM:
		return resolve_param(access, warp, insn);
	default:
		return resolve_global(access, warp, insn);
	}
}
