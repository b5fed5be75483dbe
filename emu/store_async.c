/* SPDX-License-Identifier: MIT
 *
 * st.async: a store into the shared memory of a CTA of the cluster that completes on an mbarrier beside it.
 */
#include "access.h"
#include "decode.h"
#include "mbarrier.h"
#include "order.h"
#include "race.h"

/* op: the address, the mbarrier's address, the sources; extra: the offset of the second address. */
static int complete(struct emu_warp *warp, const struct emu_insn *insn, int lane, const struct emu_access *barriers,
		const struct emu_access *access)
{
	uint32_t offset = (uint32_t)barriers->address[lane] & ((1u << EMU_RANK_SHIFT) - 1);
	struct emu_mbarrier *barrier = emu_mbarrier_find(access->cta[lane], offset);
	uint32_t epoch;

	if (!barrier)
		return emu_fault(warp, insn, lane, CUDA_ERROR_LAUNCH_FAILED, &barriers->address[lane],
				"st.async completes on an mbarrier that was not initialised");
	if (emu_race_async_store(access, warp, insn, lane, offset, &epoch) == STEP_FAULT)
		return STEP_FAULT;
	emu_race_async_stored(warp->cta, access->cta[lane], &barrier->arrived, epoch);
	emu_mbarrier_transact(access->cta[lane], barrier, (int32_t)access->bytes);
	return STEP_NEXT;
}

static int run_store_async(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	unsigned bytes = emu_type_bytes((enum emu_type)insn->type);
	struct emu_access access = { .kind = ACCESS_WRITE, .space = SPACE_SHARED, .bytes = bytes * insn->vector,
		.is_async = true },
		barriers = { .kind = ACCESS_READ };
	struct emu_insn second = *insn;

	/* So an H200 has it, even for the CTA's own shared memory. */
	if (warp->run->cluster_size == 1)
		return emu_fault(warp, insn, __builtin_ctz(lanes), CUDA_ERROR_ILLEGAL_INSTRUCTION, NULL,
				"st.async in a launch without clusters, which the hardware refuses");
	emu_access_addresses(&access, warp, insn, 0, lanes);
	second.offset = (int64_t)insn->target;
	emu_access_addresses(&barriers, warp, &second, 1, lanes);
	if (emu_access_resolve(&access, warp, insn) == STEP_FAULT)
		return STEP_FAULT;
	emu_access_count(&access, warp);
	for (unsigned i = 0; i < insn->vector; i++)
		emu_put(emu_in(warp, insn->op[i + 2]), access.host, i * bytes, lanes, bytes, bytes);
	warp->run->version++;
	for (uint32_t left = lanes; left; left &= left - 1)
		if (complete(warp, insn, __builtin_ctz(left), &barriers, &access) == STEP_FAULT)
			return STEP_FAULT;
	return STEP_NEXT;
}

static bool take_parts(struct emu_parser *parser, struct emu_statement *statement, enum emu_type *type,
		unsigned *vector)
{
	emu_take(statement, "weak");
	emu_take_space(statement);
	emu_take(statement, "mbarrier::complete_tx::bytes");
	*vector = emu_take(statement, "v2") ? 2 : emu_take(statement, "v4") ? 4 : 1;
	*type = emu_take_type(statement);
	return emu_all_taken(parser, statement) && emu_operand_count(parser, statement, 3, 3);
}

bool emu_decode_store_async(struct emu_parser *parser, struct emu_statement *statement)
{
	struct emu_operand *value = &statement->operands[1];
	struct emu_address to, barrier;
	enum emu_type type;
	unsigned vector, bytes;
	int32_t data[4];
	struct emu_insn *insn;

	if (!take_parts(parser, statement, &type, &vector))
		return false;
	bytes = emu_type_bytes(type);
	if ((bytes != 4 && bytes != 8) || (vector > 1) != (value->kind == OPERAND_VECTOR) ||
			(vector > 1 && value->element_count != vector))
		return emu_unknown(parser, statement, "is not known");
	if (!emu_take_address(parser, statement, &statement->operands[0], &to) ||
			!emu_take_address(parser, statement, &statement->operands[2], &barrier))
		return false;
	if (to.is_wide != barrier.is_wide || barrier.offset < 0 || barrier.offset > UINT32_MAX)
		return emu_unknown(parser, statement, "has addresses of two widths");
	for (unsigned i = 0; i < vector; i++)
		data[i] = emu_source_of(parser, statement, vector > 1 ? &value->elements[i] : value, bytes);
	insn = emu_emit(parser, statement, run_store_async);
	emu_put_address(insn, &to);
	emu_add_source(insn, barrier.op);
	for (unsigned i = 0; i < vector; i++)
		emu_add_source(insn, data[i]);
	insn->target = (uint32_t)barrier.offset;
	insn->type = (uint8_t)type;
	insn->vector = (uint8_t)vector;
	insn->register_bytes[0] = (uint8_t)bytes;
	return !parser->is_failed;
}
