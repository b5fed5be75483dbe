/* SPDX-License-Identifier: MIT */
#include "cluster.h"

#include "buffer.h"
#include "race.h"
#include "sync.h"

#include <stdlib.h>

static uint32_t live_threads(const struct emu_cta *cta)
{
	uint32_t count = 0;

	for (unsigned i = 0; i < cta->warp_count; i++)
		count += (uint32_t)__builtin_popcount(cta->warps[i].live);
	return count;
}

/* ---- The barrier ---- */

/* A CTA that was launched without a cluster is one by itself. */
static struct emu_cluster *cluster_of(struct emu_cta *cta)
{
	struct emu_cluster *cluster = cta->cluster;

	if (cluster)
		return cluster;
	cluster = calloc(1, sizeof *cluster);
	if (cluster)
		cluster->ctas = calloc(1, sizeof *cluster->ctas);
	if (!cluster || !cluster->ctas) {
		free(cluster);
		return NULL;
	}
	cluster->count = cluster->alive = 1;
	cluster->ctas[0] = cta;
	return cta->cluster = cluster;
}

void emu_cluster_leave(struct emu_cta *cta)
{
	struct emu_cluster *cluster = cta->cluster;

	if (!cluster)
		return;
	cluster->ctas[cta->rank] = NULL;
	cta->cluster = NULL;
	if (--cluster->alive)
		return;
	free(cluster->ctas);
	free(cluster);
}

/* A phase ends when all threads that have not exited have arrived. */
static void complete_if_due(struct emu_cluster *cluster)
{
	uint32_t threads = 0;

	for (unsigned i = 0; i < cluster->count; i++)
		threads += cluster->ctas[i] ? live_threads(cluster->ctas[i]) : 0;
	if (!cluster->arrived || cluster->arrived < threads)
		return;
	cluster->arrived = 0;
	emu_race_cluster_complete(cluster);
	for (unsigned i = 0; i < cluster->count; i++)
		for (unsigned w = 0; cluster->ctas[i] && w < cluster->ctas[i]->warp_count; w++) {
			struct emu_warp *warp = &cluster->ctas[i]->warps[w];

			warp->cluster_passed = warp->cluster_arrived;
			emu_warp_wake(warp, WAIT_CLUSTER, 0, false);
			warp->run->version++;
		}
}

/* Who has arrived and exits without waiting is counted no more. */
void emu_cluster_exited(struct emu_warp *warp)
{
	struct emu_cluster *cluster = warp->cta->cluster;
	uint32_t gone = warp->cluster_arrived & ~warp->cluster_passed & ~warp->live;

	if (!cluster)
		return;
	cluster->arrived -= (uint32_t)__builtin_popcount(gone);
	warp->cluster_arrived &= warp->live;
	complete_if_due(cluster);
}

static bool is_diverged(const struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	return insn->flags & INSN_ALIGNED && lanes != warp->live;
}

static int arrive(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	struct emu_cluster *cluster = cluster_of(warp->cta);
	bool is_release = insn->order != ORDER_RELAXED;

	if (!cluster)
		return emu_fault(warp, insn, -1, CUDA_ERROR_OUT_OF_MEMORY, NULL, "out of memory");
	if (is_diverged(warp, insn, lanes))
		return emu_warp_wait(warp, insn, lanes, WAIT_WARP, EMU_CLUSTER_BARRIER);
	if (warp->cluster_arrived & lanes)
		return emu_fault(warp, insn, __builtin_ctz(warp->cluster_arrived & lanes), CUDA_ERROR_LAUNCH_FAILED,
				NULL, "barrier.cluster.arrive twice without a wait between");
	warp->cluster_arrived |= lanes;
	warp->cluster_passed &= ~lanes;
	cluster->arrived += (uint32_t)__builtin_popcount(lanes);
	emu_race_cluster_arrive(warp, lanes, is_release);
	if (is_release)
		emu_buffer_flush(warp->cta);
	complete_if_due(cluster);
	return STEP_NEXT;
}

/* The lanes whose phase has ended go on. */
static int wait(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	uint32_t astray = lanes & ~warp->cluster_arrived, passed = lanes & warp->cluster_passed;

	if (astray)
		return emu_fault(warp, insn, __builtin_ctz(astray), CUDA_ERROR_LAUNCH_FAILED, NULL,
				"barrier.cluster.wait without an arrive before it");
	if (is_diverged(warp, insn, lanes))
		return emu_warp_wait(warp, insn, lanes, WAIT_WARP, EMU_CLUSTER_BARRIER);
	warp->cluster_arrived &= ~passed;
	warp->cluster_passed &= ~passed;
	if (passed) {
		emu_race_cluster_leave(warp, passed);
		emu_history_acquire(warp->cta);
	}
	return passed == lanes ? STEP_NEXT : emu_warp_wait(warp, insn, lanes & ~passed, WAIT_CLUSTER, 0);
}

bool emu_decode_cluster_barrier(struct emu_parser *parser, struct emu_statement *statement)
{
	bool is_arrive = emu_take(statement, "arrive");
	enum emu_order order;
	enum emu_scope scope;
	struct emu_insn *insn;
	bool is_aligned;

	if (!is_arrive && !emu_take(statement, "wait"))
		return emu_unknown(parser, statement, "is not known");
	emu_take_order(statement, &order, &scope);
	is_aligned = emu_take(statement, "aligned");
	insn = emu_emit(parser, statement, is_arrive ? arrive : wait);
	insn->order = (uint8_t)order;
	insn->flags |= is_aligned ? INSN_ALIGNED : 0;
	return emu_all_taken(parser, statement) && emu_operand_count(parser, statement, 0, 0);
}

/* ---- Distributed shared memory ---- */

struct emu_cta *emu_cluster_owner(struct emu_warp *warp, uint64_t address, uint32_t *offset)
{
	struct emu_cluster *cluster = warp->cta->cluster;
	uint32_t rank;

	if (address - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES)
		address -= EMU_SHARED_WINDOW;
	*offset = (uint32_t)address & ((1u << EMU_RANK_SHIFT) - 1);
	if (address >> 32)
		return NULL;
	rank = (uint32_t)(address >> EMU_RANK_SHIFT) & 0xff;
	if (!rank || rank - 1 == warp->cta->rank)
		return warp->cta;
	return cluster && rank <= cluster->count ? cluster->ctas[rank - 1] : NULL;
}

/* Its shared memory is there from its first instruction to its last, which only it can tell; a device may start and end
 * the CTAs of a cluster at any time. */
int emu_cluster_check_peer(struct emu_warp *warp, const struct emu_insn *insn, int l, const struct emu_cta *peer,
		uint64_t address)
{
	if (peer == warp->cta || warp->cta->race->is_off)
		return STEP_NEXT;
	if (!emu_clock_of(warp->clocks[l], peer->index))
		return emu_fault(warp, insn, l, CUDA_ERROR_LAUNCH_FAILED, &address,
				"access of the shared memory of CTA %u of the cluster, which is not known to have "
				"started: no barrier.cluster came before", peer->rank);
	if (!live_threads(peer))
		return emu_fault(warp, insn, l, CUDA_ERROR_LAUNCH_FAILED, &address,
				"access of the shared memory of CTA %u of the cluster, which has exited", peer->rank);
	return STEP_NEXT;
}
