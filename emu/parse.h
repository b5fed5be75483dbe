/* SPDX-License-Identifier: MIT
 *
 * What the parser's files and the decoders share: symbols, operands, statements.
 */
#ifndef EMU_PARSE_H
#define EMU_PARSE_H

#include "code.h"
#include "lex.h"

enum emu_symbol_kind {
	SYMBOL_REGISTER, SYMBOL_REGISTERS, SYMBOL_VARIABLE, SYMBOL_REGION, SYMBOL_FUNCTION, SYMBOL_PROTOTYPE,
	SYMBOL_TABLE, SYMBOL_LABEL
};

struct emu_symbol {
	const char *name;
	size_t length;
	uint32_t hash;
	enum emu_symbol_kind kind;
	unsigned depth;
	uint8_t bytes;             /* of a register; 0 for predicates */
	uint8_t vector;            /* of a vector register, else 0 */
	int32_t number;            /* a register, a region, a label's pc */
	int32_t *numbers;          /* SYMBOL_REGISTERS: the registers made so far, plus one */
	uint32_t count;
	uint32_t region_bytes;
	struct emu_variable *variable;
	struct emu_function *function;
	struct emu_branch_table *table;
	struct emu_symbol *same_bucket, *previous;
};

enum emu_operand_kind {
	OPERAND_NONE, OPERAND_REGISTER, OPERAND_NUMBER, OPERAND_VARIABLE, OPERAND_FUNCTION, OPERAND_REGION,
	OPERAND_LABEL, OPERAND_SINK, OPERAND_SPECIAL, OPERAND_VECTOR, OPERAND_ADDRESS, OPERAND_PROTOTYPE, OPERAND_TABLE
};

struct emu_operand {
	enum emu_operand_kind kind, base;   /* base: what an address starts with */
	bool is_negated;
	enum emu_token_kind number_kind;
	int32_t number;                     /* register or region */
	int32_t pair;                       /* the register behind '|', NO_OPERAND otherwise */
	uint8_t bytes;                      /* of the register */
	uint64_t bits, high_bits;           /* of a number */
	int64_t addend;
	uint32_t region_bytes;
	const struct emu_variable *variable;
	const struct emu_function *function;
	struct emu_branch_table *table;
	const char *text;                   /* a label */
	size_t length;
	struct emu_operand *elements;
	unsigned element_count;
};

#define STATEMENT_OPERANDS 10
#define STATEMENT_PARTS 20
#define STATEMENT_ELEMENTS 40

struct emu_part {
	const char *text;
	size_t length;
	bool is_taken;
};

struct emu_statement {
	unsigned line;
	const char *opcode;
	size_t opcode_length;
	struct emu_part parts[STATEMENT_PARTS];   /* parts[0] is the family: "ld", "add" */
	unsigned part_count;
	struct emu_operand operands[STATEMENT_OPERANDS];
	unsigned operand_count;
	struct emu_operand elements[STATEMENT_ELEMENTS];
	unsigned element_count;
	int32_t guard;
	bool is_guard_negated;
};

struct emu_reference {
	const char *text;
	size_t length;
	unsigned line, scope;
	uint32_t insn;             /* whose target it is */
	uint32_t *table_entry;     /* or an entry of a branch table */
};

struct emu_scope_mark {
	struct emu_symbol *symbols;
	unsigned id, parent;
};

#define SYMBOL_BUCKETS 1024
#define SCOPE_DEPTH 64

struct emu_parser {
	struct emu_lexer lexer;
	struct emu_module *module;
	struct emu_function *function;
	struct emu_error *error;
	bool is_failed;
	uint32_t used_bytes; /* of the next load, where a pragma tells; else 0 */
	struct emu_symbol *buckets[SYMBOL_BUCKETS];
	struct emu_symbol *last_symbol;
	struct emu_scope_mark scopes[SCOPE_DEPTH];
	unsigned depth, scope_count;
	struct emu_reference *references;
	uint32_t reference_count, reference_capacity;
};

/* The first failure counts; always returns false. */
__attribute__((format(printf, 3, 4)))
bool emu_parse_fail(struct emu_parser *parser, unsigned line, const char *format, ...);
bool emu_parse_no_memory(struct emu_parser *parser);

/* parse.c: the tokens at hand */
bool emu_expect_sign(struct emu_parser *parser, char sign);
bool emu_accept_sign(struct emu_parser *parser, char sign);
bool emu_accept_word(struct emu_parser *parser, const char *word);
/* A constant expression of integers. */
bool emu_parse_constant(struct emu_parser *parser, int64_t *value);
/* A type's name without its dot, TYPE_NONE for anything else. */
enum emu_type emu_type_named(const char *text, size_t length);

/* symbol.c */
struct emu_symbol *emu_symbol_add(
	struct emu_parser *parser, const char *name, size_t length, enum emu_symbol_kind kind);
struct emu_symbol *emu_symbol_find(struct emu_parser *parser, const char *name, size_t length);
/* A register by its name, numbered ones included; null where there is none. */
bool emu_symbol_register(struct emu_parser *parser, const char *name, size_t length, int32_t *number, uint8_t *bytes);
bool emu_scope_enter(struct emu_parser *parser);
bool emu_scope_leave(struct emu_parser *parser);
bool emu_label_add(struct emu_parser *parser, const char *name, size_t length, unsigned line);
bool emu_label_refer(struct emu_parser *parser, const char *name, size_t length, uint32_t insn, uint32_t *table_entry);
/* A new register of so many bytes, 0 for a predicate; a region when region is not 0. */
int32_t emu_register_add(struct emu_parser *parser, uint8_t bytes, uint32_t region);

/* declare.c */
struct emu_declaration {
	enum emu_space space;
	bool is_register, is_extern, is_managed;
	enum emu_type type;
	unsigned vector, align;
	const char *name;
	size_t length;
	unsigned line;
	uint64_t count;           /* elements in all */
	bool is_unsized, is_array;
};
/* Reads ".space .align .type name[..]" from behind the space. */
bool emu_parse_declarator(struct emu_parser *parser, struct emu_declaration *declaration);
/* A variable without a symbol, owned by the function at hand; null when memory is short. */
struct emu_variable *emu_variable_add(struct emu_parser *parser, const char *name, enum emu_space space, unsigned align,
		uint64_t bytes);
bool emu_parse_variable(struct emu_parser *parser, enum emu_space space, bool is_extern);
bool emu_parse_registers(struct emu_parser *parser);
bool emu_parse_param_region(struct emu_parser *parser);
uint64_t emu_declaration_bytes(const struct emu_declaration *declaration);

/* initial.c */
bool emu_parse_initial(
	struct emu_parser *parser, struct emu_variable *variable, const struct emu_declaration *declaration);

/* function.c */
bool emu_parse_function(struct emu_parser *parser, bool is_entry, bool is_extern);
bool emu_parse_body(struct emu_parser *parser);

/* operand.c */
bool emu_parse_operand(struct emu_parser *parser, struct emu_statement *statement, struct emu_operand *operand);
bool emu_parse_statement(struct emu_parser *parser);

/* call.c */
bool emu_parse_call(struct emu_parser *parser, struct emu_statement *statement);
bool emu_parse_prototype(struct emu_parser *parser, const char *name, size_t length);
bool emu_parse_branch_targets(struct emu_parser *parser, const char *name, size_t length);

/* finish.c: registers to slots, call graph, layout of shared memory */
bool emu_finish_function(struct emu_parser *parser, struct emu_function *function);
bool emu_finish_module(struct emu_parser *parser);

#endif
