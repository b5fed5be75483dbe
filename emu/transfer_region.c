/* SPDX-License-Identifier: MIT
 *
 * ld.param and st.param of the parameters and results of calls.
 */
#include "control.h"
#include "decode.h"
#include "lanes.h"
#include "order.h"

/* Parameters and results of calls lie in regions of the register file: lane after lane. */
static void region_hosts(unsigned char **host, struct emu_warp *warp, const struct emu_insn *insn, int32_t region)
{
	unsigned char *base = emu_out(warp, region);
	uint32_t stride = (insn->target + 15) / 16 * 16;

	for (unsigned l = 0; l < EMU_LANES; l++)
		host[l] = base + l * stride + insn->offset;
}

int emu_run_load_region(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	unsigned bytes = emu_type_bytes((enum emu_type)insn->type);
	unsigned char *host[EMU_LANES];

	region_hosts(host, warp, insn, insn->op[insn->vector]);
	for (unsigned i = 0; i < insn->vector; i++)
		emu_fetch(emu_out(warp, insn->op[i]), host, i * bytes, lanes, (enum emu_type)insn->type,
				insn->register_bytes[0]);
	return STEP_NEXT;
}

int emu_run_store_region(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	unsigned bytes = emu_type_bytes((enum emu_type)insn->type);
	unsigned char *host[EMU_LANES];

	region_hosts(host, warp, insn, insn->op[0]);
	for (unsigned i = 0; i < insn->vector; i++)
		emu_put(emu_in(warp, insn->op[i + 1]), host, i * bytes, lanes, bytes, insn->register_bytes[0]);
	return STEP_NEXT;
}
