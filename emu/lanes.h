/* SPDX-License-Identifier: MIT
 *
 * Loops over lanes, in the form that compilers turn into vector code where all lanes are active.  Registers never
 * overlap unless they are the same, which is what `ivdep` promises.
 */
#ifndef EMU_LANES_H
#define EMU_LANES_H

#include "state.h"

/* The loops are worth it whatever the program is built with; clang vectorises at -O2 already. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif

/* What stands before a loop whose iterations do not depend on one another.  clang's pragma for that warns of each loop
 * which it then leaves as it is, so clang decides without it. */
#ifdef __clang__
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define EACH_LANE(lanes, ...) \
	do { \
		if ((lanes) == EMU_ALL_LANES) { \
			INDEPENDENT \
			for (int l = 0; l < EMU_LANES; l++) { \
				__VA_ARGS__; \
			} \
		} else { \
			for (uint32_t left_ = (lanes); left_; left_ &= left_ - 1) { \
				int l = __builtin_ctz(left_); \
				__VA_ARGS__; \
			} \
		} \
	} while (0)

#define ALU_HEAD(name) \
	static int name(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)

#define ALU_1(name, to, from, ...) \
	ALU_HEAD(name) \
	{ \
		to *d = emu_out(warp, insn->op[0]); \
		const from *a = emu_in(warp, insn->op[1]); \
		EACH_LANE(lanes, d[l] = (to)(__VA_ARGS__)); \
		return STEP_NEXT; \
	}

#define ALU_2(name, to, from, ...) \
	ALU_HEAD(name) \
	{ \
		to *d = emu_out(warp, insn->op[0]); \
		const from *a = emu_in(warp, insn->op[1]); \
		const from *b = emu_in(warp, insn->op[2]); \
		EACH_LANE(lanes, d[l] = (to)(__VA_ARGS__)); \
		return STEP_NEXT; \
	}

/* The second source has a type of its own: shift counts. */
#define ALU_2S(name, to, from, second, ...) \
	ALU_HEAD(name) \
	{ \
		to *d = emu_out(warp, insn->op[0]); \
		const from *a = emu_in(warp, insn->op[1]); \
		const second *b = emu_in(warp, insn->op[2]); \
		EACH_LANE(lanes, d[l] = (to)(__VA_ARGS__)); \
		return STEP_NEXT; \
	}

#define ALU_3(name, to, from, third, ...) \
	ALU_HEAD(name) \
	{ \
		to *d = emu_out(warp, insn->op[0]); \
		const from *a = emu_in(warp, insn->op[1]); \
		const from *b = emu_in(warp, insn->op[2]); \
		const third *c = emu_in(warp, insn->op[3]); \
		EACH_LANE(lanes, d[l] = (to)(__VA_ARGS__)); \
		return STEP_NEXT; \
	}

#define ALU_3S(name, to, from, second, third, ...) \
	ALU_HEAD(name) \
	{ \
		to *d = emu_out(warp, insn->op[0]); \
		const from *a = emu_in(warp, insn->op[1]); \
		const second *b = emu_in(warp, insn->op[2]); \
		const third *c = emu_in(warp, insn->op[3]); \
		EACH_LANE(lanes, d[l] = (to)(__VA_ARGS__)); \
		return STEP_NEXT; \
	}

#endif
