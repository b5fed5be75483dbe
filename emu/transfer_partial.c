/* SPDX-License-Identifier: MIT
 *
 * Loads of which only some bytes are used.
 */
#include "decode.h"
#include "lanes.h"
#include "order.h"
#include "undefined.h"

/* One byte of each lane's access, into loaded; checked as an access of its own. */
static int load_byte(unsigned char (*loaded)[16], struct emu_access *whole, unsigned index, struct emu_warp *warp,
		const struct emu_insn *insn)
{
	struct emu_access piece = *whole;

	piece.bytes = 1;
	for (uint32_t left = piece.lanes; left; left &= left - 1)
		piece.address[__builtin_ctz(left)] += index;
	if (emu_access_resolve(&piece, warp, insn) == STEP_FAULT)
		return STEP_FAULT;
	emu_order_load(&piece, warp, insn);
	for (uint32_t left = piece.lanes; left; left &= left - 1)
		loaded[__builtin_ctz(left)][index] = *piece.host[__builtin_ctz(left)];
	whole->unwritten |= piece.unwritten;
	return STEP_NEXT;
}

static int partial_lanes(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	unsigned char loaded[EMU_LANES][16] = { { 0 } };
	unsigned bytes = emu_type_bytes((enum emu_type)insn->type);

	access->unwritten = 0;
	for (uint32_t mask = insn->target; mask; mask &= mask - 1)
		if (load_byte(loaded, access, (unsigned)__builtin_ctz(mask), warp, insn) == STEP_FAULT)
			return STEP_FAULT;
	for (unsigned l = 0; l < EMU_LANES; l++)
		access->host[l] = loaded[l];
	for (unsigned i = 0; i < insn->vector; i++)
		emu_fetch(emu_out(warp, insn->op[i]), access->host, i * bytes, access->lanes,
				(enum emu_type)insn->type, insn->register_bytes[0]);
	emu_access_count(access, warp);
	return access->unwritten ? emu_undefined_load(access, warp, insn) : STEP_NEXT;
}

/* A load of which the compiler says that only some bytes are used: what is in the others, if anything, is nobody's
 * concern, and whoever writes there races with nobody. */
int emu_run_partial_load(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	struct emu_access access;

	emu_access_describe(&access, insn, ACCESS_READ);
	emu_access_addresses(&access, warp, insn, insn->vector, lanes);
	if (insn->space != SPACE_GENERIC)
		return partial_lanes(&access, warp, insn);
	for (uint32_t left = lanes; left; left &= ~access.lanes) {
		access.lanes = emu_access_split(&access, left);
		if (partial_lanes(&access, warp, insn) == STEP_FAULT)
			return STEP_FAULT;
	}
	return STEP_NEXT;
}

/* Takes over what a pragma has said of the load that is being decoded. */
void emu_use_bytes(struct emu_parser *parser, struct emu_insn *insn, bool is_region)
{
	unsigned bytes = emu_type_bytes((enum emu_type)insn->type) * insn->vector;

	if (parser->used_bytes && !is_region && insn->order == ORDER_WEAK && bytes <= 16) {
		insn->run = emu_run_partial_load;
		insn->target = parser->used_bytes;
	}
	parser->used_bytes = 0;
}
