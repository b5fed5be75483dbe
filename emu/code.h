/* SPDX-License-Identifier: MIT
 *
 * A module after parsing: variables, functions, and instructions decoded so far that one call through a pointer
 * executes each of them for a whole warp.
 */
#ifndef EMU_CODE_H
#define EMU_CODE_H

#include "arena.h"
#include "module.h"

struct emu_warp;
struct emu_insn;

enum emu_space {
	SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM
};

enum emu_type {
	TYPE_NONE, TYPE_PRED,
	TYPE_B8, TYPE_B16, TYPE_B32, TYPE_B64, TYPE_B128,
	TYPE_U8, TYPE_U16, TYPE_U32, TYPE_U64,
	TYPE_S8, TYPE_S16, TYPE_S32, TYPE_S64,
	TYPE_F16, TYPE_F16X2, TYPE_BF16, TYPE_BF16X2, TYPE_F32, TYPE_F64
};

enum emu_order { ORDER_WEAK, ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL };
enum emu_scope { EMU_SCOPE_CTA, EMU_SCOPE_CLUSTER, EMU_SCOPE_GPU, EMU_SCOPE_SYS };
enum emu_rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY };

/* What executing an instruction asks the warp's loop to do next. */
enum emu_step {
	STEP_NEXT,      /* go on behind the instruction */
	STEP_MOVED,     /* the groups of the warp changed: look again */
	STEP_WAIT,      /* the lanes wait at this instruction */
	STEP_YIELD,     /* go on behind the instruction, but let others run first */
	STEP_SPIN,      /* the groups are up to date; let others run first */
	STEP_FAULT
};

/* Flags of an instruction, by family. */
#define INSN_FTZ       0x0001u
#define INSN_SAT       0x0002u
#define INSN_NAN       0x0004u
#define INSN_XORSIGN   0x0008u
#define INSN_RELU      0x0010u
#define INSN_NC        0x0020u  /* ld.global.nc */
#define INSN_ALIGNED   0x0040u
#define INSN_ABS       0x0080u
#define INSN_VOLATILE  0x0100u
#define INSN_MARK      0x0200u  /* counts nothing but itself */
#define INSN_NEGATED   0x0400u  /* setp, bar.red, vote: the predicate operand is negated */
#define INSN_PARITY    0x0800u
#define INSN_WIDE_ADDR 0x1000u  /* the address register has 64 bits */
#define INSN_NOINC     0x2000u
#define INSN_READ      0x4000u
#define INSN_UNIFORM   0x8000u

#define EMU_OPERANDS 10
#define NO_OPERAND INT32_MIN
#define NO_GUARD (-1)

typedef int emu_run_fn(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes);

/* Operands are byte offsets into the warp's register file, or, where negative, complements of offsets into the
 * module's pool of constants.  Before finish.c has run they are register numbers in place of register file offsets. */
struct emu_insn {
	emu_run_fn *run;
	int32_t guard;
	uint32_t line;
	int32_t op[EMU_OPERANDS];
	uint16_t defines;           /* bit i: op[i] is written */
	uint16_t flags;
	uint8_t op_count;
	bool guard_negated;
	uint8_t type, space, vector, order, scope, rounding;
	uint8_t register_bytes[2];  /* of data operands whose registers may be wider than the type */
	uint8_t small[2];           /* operation, comparison and the like */
	bool ends_block;            /* nothing falls through, or it may go elsewhere */
	int64_t offset;             /* of an address, or a plain number */
	uint32_t target;            /* a pc, a function */
	const void *extra;          /* struct emu_call, struct emu_branch_table */
};

struct emu_variable {
	const char *name;
	enum emu_space space;
	unsigned align;
	uint64_t bytes;
	bool is_extern, is_dynamic;        /* dynamic: the extern .shared array without a size */
	bool is_managed;
	unsigned char *initial;            /* null: zeros */
	struct emu_fixup *fixups;          /* addresses inside the initial value */
	uint64_t address;                  /* in its space, or the offset in the parameter buffer or the frame */
	struct emu_function *owner;        /* null at module scope */
	struct emu_variable *next;
};

struct emu_fixup {
	uint64_t offset;
	unsigned bytes;
	const struct emu_variable *variable;
	const struct emu_function *function;
	bool is_generic;
	int64_t addend;
	struct emu_fixup *next;
};

/* A constant of the pool whose value is known only when the module is loaded. */
struct emu_relocation {
	uint32_t pool_offset;
	unsigned bytes;
	const struct emu_variable *variable;
	const struct emu_function *function;
	int64_t addend;
	struct emu_relocation *next;
};

struct emu_register {
	uint8_t bytes;      /* of a lane; predicates have 0 and are kept as one mask of 4 bytes */
	uint32_t region;    /* not a register but a .param area of so many bytes per lane; 0 for registers */
	uint32_t slot;      /* byte offset in the register file */
};

struct emu_function {
	const char *name;
	bool is_entry, is_defined, is_recursive;
	const struct emu_builtin *builtin;
	struct emu_module *module;
	uint32_t first, end;                      /* instructions */
	struct emu_register *registers;
	uint32_t register_count, register_capacity;
	uint32_t frame_base, frame_bytes;         /* of the register file */
	uint32_t local_bytes, local_align;
	uint32_t live_registers;                  /* the most that live at once, in 32-bit registers */
	struct emu_variable **parameters;         /* of an entry: in the parameter buffer; of a function: regions */
	size_t parameter_count, parameter_capacity, parameter_bytes;
	int32_t *formals;                         /* regions of a function's parameters */
	struct emu_variable **formal_copies;      /* in local memory, of those whose address is taken */
	int32_t result;                           /* region of the result, or NO_OPERAND */
	unsigned max_threads[3], min_blocks, cluster[3];
	uint32_t *calls;                          /* functions called */
	uint32_t call_count, call_capacity;
	uint32_t index;
	uint8_t visit;
	/* Over everything reachable: */
	uint32_t total_local, total_frame, shared_static, total_registers;
	bool is_unbounded;                        /* recursion is reachable */
};

struct emu_entry {
	struct emu_function *function;
};

/* A call: regions of the caller, copied to and from the callee's. */
struct emu_call {
	uint32_t function;              /* index, or UINT32_MAX for an indirect call through op[0] */
	int32_t *arguments;             /* register numbers of regions, later frame offsets */
	uint32_t argument_count;
	int32_t result;
	uint32_t *argument_bytes;
	uint32_t result_bytes;
};

struct emu_branch_table {
	uint32_t count;
	uint32_t *targets;
};

struct emu_module {
	struct emu_arena arena;
	struct emu_machine *machine;
	unsigned version, target;
	struct emu_insn *code;
	uint32_t code_count, code_capacity;
	unsigned char *pool;
	uint32_t pool_bytes, pool_capacity;
	struct emu_pool_key *pool_keys;
	uint32_t pool_key_count, pool_key_capacity;
	struct emu_relocation *relocations;
	struct emu_variable *variables, *last_variable;
	struct emu_function **functions;
	uint32_t function_count, function_capacity;
	struct emu_entry *entries;
	uint32_t entry_count;
	uint32_t dynamic_base;          /* where dynamic shared memory starts in the shared window */
	uint32_t const_bytes;
	uint64_t *owned;                /* allocations in the machine */
	uint32_t owned_count;
};

unsigned emu_type_bytes(enum emu_type type);
bool emu_type_is_signed(enum emu_type type);
/* Function pointers are addresses of this window. */
#define EMU_CODE_WINDOW UINT64_C(0x00002e0000000000)

#endif
