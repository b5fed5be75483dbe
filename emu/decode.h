/* SPDX-License-Identifier: MIT
 *
 * From a statement to instructions: what the decoders of the instruction families share.
 */
#ifndef EMU_DECODE_H
#define EMU_DECODE_H

#include "parse.h"

/* One way of an arithmetic instruction.  key: the opcode without what `allowed` and `rounds` describe.
 * shape: widths of the operands, destinations before '=': p predicate, b 1 byte, h 2, w 4, d 8, q 16. */
struct emu_row {
	const char *key;
	emu_run_fn *run;
	const char *shape;
	uint16_t allowed;      /* INSN_FTZ and the like */
	bool rounds;           /* may have a rounding mode */
};

/* Tables end with a null key. */
extern const struct emu_row emu_integer_rows[], emu_logic_rows[], emu_bit_rows[], emu_float_rows[], emu_half_rows[],
	emu_double_rows[], emu_approximate_rows[];
const struct emu_row *emu_row_find(const char *key);

typedef bool emu_decode_fn(struct emu_parser *parser, struct emu_statement *statement);
struct emu_family {
	const char *name;
	emu_decode_fn *decode;
};
extern const struct emu_family emu_memory_families[], emu_sync_families[], emu_control_families[],
	emu_convert_families[], emu_compare_families[], emu_async_families[], emu_move_families[],
	emu_collective_families[], emu_atomic_families[], emu_mbarrier_families[], emu_select_families[];

/* Appends an instruction; a scratch one when memory is short, so that callers need not check. */
struct emu_insn *emu_emit(struct emu_parser *parser, const struct emu_statement *statement, emu_run_fn *run);
void emu_add_source(struct emu_insn *insn, int32_t operand);
void emu_add_destination(struct emu_insn *insn, int32_t operand);

/* The operand as one of so many bytes (0: a predicate); wrong ones fail and give a harmless one. */
int32_t emu_source(struct emu_parser *parser, struct emu_statement *statement, unsigned index, unsigned bytes);
int32_t emu_destination(struct emu_parser *parser, struct emu_statement *statement, unsigned index, unsigned bytes);
int32_t emu_source_of(struct emu_parser *parser, struct emu_statement *statement, struct emu_operand *operand,
		unsigned bytes);
int32_t emu_destination_of(struct emu_parser *parser, struct emu_statement *statement,
		const struct emu_operand *operand, unsigned bytes);
/* The same where the register may be wider than the type: gives its width too. */
int32_t emu_loose_source(struct emu_parser *parser, struct emu_statement *statement, struct emu_operand *operand,
		unsigned bytes, uint8_t *register_bytes);
int32_t emu_loose_destination(struct emu_parser *parser, struct emu_statement *statement,
		const struct emu_operand *operand, unsigned bytes, uint8_t *register_bytes);
bool emu_operand_count(struct emu_parser *parser, const struct emu_statement *statement, unsigned least, unsigned most);

/* A constant for all lanes; returns the operand. */
int32_t emu_pool_constant(struct emu_parser *parser, uint64_t low, uint64_t high, unsigned bytes);
int32_t emu_pool_address(struct emu_parser *parser, const struct emu_variable *variable,
		const struct emu_function *function, int64_t addend, unsigned bytes);

/* Parts of the opcode: taken ones are marked, and any that is left over at the end is an error. */
bool emu_take(struct emu_statement *statement, const char *part);
enum emu_type emu_take_type(struct emu_statement *statement);
bool emu_all_taken(struct emu_parser *parser, struct emu_statement *statement);
bool emu_unknown(struct emu_parser *parser, const struct emu_statement *statement, const char *why);
void emu_take_order(struct emu_statement *statement, enum emu_order *order, enum emu_scope *scope);
bool emu_take_rounding(struct emu_statement *statement, enum emu_rounding *rounding);
enum emu_space emu_take_space(struct emu_statement *statement);

/* add.cc, addc and their like. */
bool emu_decode_carry(struct emu_parser *parser, struct emu_statement *statement);
/* st.async. */
bool emu_decode_store_async(struct emu_parser *parser, struct emu_statement *statement);
/* The statement is complete: decodes it. */
bool emu_decode(struct emu_parser *parser, struct emu_statement *statement);
bool emu_decode_mark(struct emu_parser *parser);
/* A body that just ends returns. */
bool emu_decode_end(struct emu_parser *parser);
/* Emits the reading of a special register into a new register; false when it is none. */
bool emu_decode_special(struct emu_parser *parser, struct emu_statement *statement, struct emu_operand *operand);

/* Address operands.  Taking one may emit instructions, so it comes before the emission of its user. */
struct emu_address {
	int32_t op;
	int64_t offset;
	bool is_wide;
	enum emu_operand_kind base;
	const struct emu_variable *variable;
	uint32_t region_bytes;
};
bool emu_take_address(struct emu_parser *parser, struct emu_statement *statement, const struct emu_operand *operand,
		struct emu_address *address);
void emu_put_address(struct emu_insn *insn, const struct emu_address *address);

/* transfer_partial.c */
void emu_use_bytes(struct emu_parser *parser, struct emu_insn *insn, bool is_region);

#endif
