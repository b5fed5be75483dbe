/* SPDX-License-Identifier: MIT */
#include "special.h"

#include "lanes.h"
#include "machine.h"
#include "memory.h"

#include <string.h>

enum special {
	TID_X, TID_Y, TID_Z, NTID_X, NTID_Y, NTID_Z, CTAID_X, CTAID_Y, CTAID_Z, NCTAID_X, NCTAID_Y, NCTAID_Z,
	LANEID, WARPID, NWARPID, SMID, NSMID, GRIDID, LANEMASK_EQ, LANEMASK_LE, LANEMASK_LT, LANEMASK_GE, LANEMASK_GT,
	CLOCK, CLOCK_HI, CLOCK64, GLOBALTIMER, GLOBALTIMER_LO, GLOBALTIMER_HI, DYNAMIC_SMEM, TOTAL_SMEM, AGGR_SMEM,
	IS_EXPLICIT_CLUSTER, CLUSTERID_X, CLUSTERID_Y, CLUSTERID_Z, NCLUSTERID_X, NCLUSTERID_Y, NCLUSTERID_Z,
	CLUSTER_CTAID_X, CLUSTER_CTAID_Y, CLUSTER_CTAID_Z, CLUSTER_NCTAID_X, CLUSTER_NCTAID_Y, CLUSTER_NCTAID_Z,
	CLUSTER_CTARANK, CLUSTER_NCTARANK, RESERVED_BEGIN, RESERVED_END, RESERVED_CAP
};

static const char *const names[] = {
	"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z",
	"%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid",
	"%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt", "%clock", "%clock_hi",
	"%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi", "%dynamic_smem_size", "%total_smem_size",
	"%aggr_smem_size", "%is_explicit_cluster", "%clusterid.x", "%clusterid.y", "%clusterid.z", "%nclusterid.x",
	"%nclusterid.y", "%nclusterid.z", "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z",
	"%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z", "%cluster_ctarank", "%cluster_nctarank",
	"%reserved_smem_offset_begin", "%reserved_smem_offset_end", "%reserved_smem_offset_cap",
};

#define EPOCH_NS UINT64_C(1700000000000000000) /* what %globaltimer starts at */

int32_t emu_special_find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], name, length))
			return (int32_t)i;
	return -1;
}

static uint64_t of_thread(const struct emu_warp *warp, enum special special, uint32_t lane)
{
	const unsigned *block = warp->run->launch->block;
	uint32_t thread = warp->id * EMU_LANES + lane, bit = 1u << lane;

	switch (special) {
	case TID_X:
		return thread % block[0];
	case TID_Y:
		return thread / block[0] % block[1];
	case TID_Z:
		return thread / block[0] / block[1];
	case LANEID:
		return lane;
	case LANEMASK_EQ:
		return bit;
	case LANEMASK_LT:
		return bit - 1;
	case LANEMASK_LE:
		return bit | (bit - 1);
	case LANEMASK_GE:
		return ~(bit - 1);
	default:
		return ~(bit | (bit - 1));
	}
}

static uint64_t of_cluster(const struct emu_warp *warp, enum special special)
{
	const struct emu_cta *cta = warp->cta;
	const struct emu_run *run = warp->run;
	unsigned i;

	if (special >= CLUSTERID_X && special <= CLUSTERID_Z) {
		i = special - CLUSTERID_X;
		return cta->id[i] / run->cluster_dim[i];
	}
	if (special >= NCLUSTERID_X && special <= NCLUSTERID_Z) {
		i = special - NCLUSTERID_X;
		return run->launch->grid[i] / run->cluster_dim[i];
	}
	if (special >= CLUSTER_CTAID_X && special <= CLUSTER_CTAID_Z) {
		i = special - CLUSTER_CTAID_X;
		return cta->id[i] % run->cluster_dim[i];
	}
	if (special >= CLUSTER_NCTAID_X && special <= CLUSTER_NCTAID_Z)
		return run->cluster_dim[special - CLUSTER_NCTAID_X];
	return special == CLUSTER_CTARANK ? cta->rank : run->cluster_size;
}

/* Clocks count instructions of the launch: the same in every run, and never a measure of time. */
static uint64_t of_warp(const struct emu_warp *warp, enum special special)
{
	const struct emu_run *run = warp->run;

	switch (special) {
	case NTID_X: case NTID_Y: case NTID_Z:
		return run->launch->block[special - NTID_X];
	case CTAID_X: case CTAID_Y: case CTAID_Z:
		return warp->cta->id[special - CTAID_X];
	case NCTAID_X: case NCTAID_Y: case NCTAID_Z:
		return run->launch->grid[special - NCTAID_X];
	case WARPID:
		return warp->id;
	case NWARPID:
		return run->machine->limits.warps_per_sm;
	case SMID:
		return warp->cta->sm;
	case NSMID:
		return run->machine->limits.sms;
	case GRIDID:
		return run->machine->launches;
	case CLOCK: case CLOCK64:
		return run->clock;
	case CLOCK_HI:
		return run->clock >> 32;
	case GLOBALTIMER: case GLOBALTIMER_LO:
		return EPOCH_NS + run->clock;
	case GLOBALTIMER_HI:
		return (EPOCH_NS + run->clock) >> 32;
	case DYNAMIC_SMEM:
		return run->dynamic_shared;
	case TOTAL_SMEM: case AGGR_SMEM:
		return run->static_shared + run->dynamic_shared;
	case IS_EXPLICIT_CLUSTER:
		return run->cluster_size > 1;
	case RESERVED_BEGIN:
		return 0;
	case RESERVED_END: case RESERVED_CAP:
		return EMU_SHARED_START;
	default:
		return of_cluster(warp, special);
	}
}

/* All others are looked up once for the whole warp. */
static bool differs_by_lane(enum special special)
{
	return special <= TID_Z || special == LANEID || (special >= LANEMASK_EQ && special <= LANEMASK_GT);
}

int emu_run_special(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	enum special special = (enum special)insn->small[0];
	bool is_lane = differs_by_lane(special);
	uint64_t common = is_lane ? 0 : of_warp(warp, special), value;
	void *d = emu_out(warp, insn->op[0]);

	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(left);

		value = is_lane ? of_thread(warp, special, l) : common;
		if (insn->register_bytes[0] == 2)
			((uint16_t *)d)[l] = (uint16_t)value;
		else if (insn->register_bytes[0] == 4)
			((uint32_t *)d)[l] = (uint32_t)value;
		else
			((uint64_t *)d)[l] = value;
	}
	return STEP_NEXT;
}
