/* SPDX-License-Identifier: MIT
 *
 * Names and their scopes.  A '{ }' block inside a body, which inline assembly makes, has registers and labels of its
 * own; a label may be used before it is defined, so references wait until their scope closes and then try the one
 * around it.
 */
#include "parse.h"

#include <ctype.h>
#include <string.h>

/* More registers than any kernel has: a declaration beyond it is an error, not an allocation. */
#define MOST_REGISTERS (1u << 20)

static uint32_t hash_name(const char *name, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	return hash;
}

struct emu_symbol *emu_symbol_add(struct emu_parser *parser, const char *name, size_t length, enum emu_symbol_kind kind)
{
	struct emu_symbol *symbol = emu_arena_alloc(&parser->module->arena, sizeof *symbol);

	if (!symbol || !(symbol->name = emu_arena_copy(&parser->module->arena, name, length))) {
		emu_parse_no_memory(parser);
		return NULL;
	}
	symbol->length = length;
	symbol->hash = hash_name(name, length);
	symbol->kind = kind;
	symbol->depth = parser->depth;
	symbol->same_bucket = parser->buckets[symbol->hash % SYMBOL_BUCKETS];
	parser->buckets[symbol->hash % SYMBOL_BUCKETS] = symbol;
	symbol->previous = parser->last_symbol;
	parser->last_symbol = symbol;
	return symbol;
}

struct emu_symbol *emu_symbol_find(struct emu_parser *parser, const char *name, size_t length)
{
	uint32_t hash = hash_name(name, length);
	struct emu_symbol *symbol = parser->buckets[hash % SYMBOL_BUCKETS];

	while (symbol && !(symbol->hash == hash && symbol->length == length && !memcmp(symbol->name, name, length) &&
			symbol->kind != SYMBOL_LABEL))
		symbol = symbol->same_bucket;
	return symbol;
}

int32_t emu_register_add(struct emu_parser *parser, uint8_t bytes, uint32_t region)
{
	struct emu_function *function = parser->function;
	struct emu_register *larger = emu_arena_grow(&parser->module->arena, function->registers,
			&function->register_capacity, function->register_count, sizeof *larger);

	if (!larger || function->register_count >= MOST_REGISTERS) {
		emu_parse_no_memory(parser);
		return 0;
	}
	function->registers = larger;
	larger[function->register_count] = (struct emu_register){ .bytes = bytes, .region = region };
	return (int32_t)function->register_count++;
}

/* "%r12" of ".reg .b32 %r<20>": registers come into being when they are first named. */
static bool numbered_register(struct emu_parser *parser, const char *name, size_t length, int32_t *number,
		uint8_t *bytes)
{
	struct emu_symbol *symbol = NULL;
	uint64_t index = 0, scale = 1;
	size_t prefix = length;

	while (prefix > 0 && length - prefix < 8 && isdigit((unsigned char)name[prefix - 1])) {
		index += scale * (uint64_t)(name[--prefix] - '0');
		scale *= 10;
		symbol = emu_symbol_find(parser, name, prefix);
		if (symbol && symbol->kind == SYMBOL_REGISTERS && index < symbol->count &&
				(name[prefix] != '0' || prefix + 1 == length))
			break;
		symbol = NULL;
	}
	if (!symbol)
		return false;
	if (!symbol->numbers[index])
		symbol->numbers[index] = emu_register_add(parser, symbol->bytes, 0) + 1;
	*number = symbol->numbers[index] - 1;
	*bytes = symbol->bytes;
	return true;
}

bool emu_symbol_register(struct emu_parser *parser, const char *name, size_t length, int32_t *number, uint8_t *bytes)
{
	struct emu_symbol *symbol = emu_symbol_find(parser, name, length);

	if (symbol && symbol->kind == SYMBOL_REGISTER && !symbol->vector) {
		*number = symbol->number;
		*bytes = symbol->bytes;
		return true;
	}
	return !symbol && numbered_register(parser, name, length, number, bytes);
}

bool emu_scope_enter(struct emu_parser *parser)
{
	struct emu_scope_mark *mark;

	if (parser->depth + 1 >= SCOPE_DEPTH)
		return emu_parse_fail(parser, parser->lexer.token.line, "blocks are nested too deeply");
	mark = &parser->scopes[++parser->depth];
	mark->symbols = parser->last_symbol;
	mark->parent = parser->depth > 1 ? mark[-1].id : 0;
	mark->id = ++parser->scope_count;
	return true;
}

static const struct emu_symbol *find_label(const struct emu_parser *parser, const struct emu_reference *reference)
{
	uint32_t hash = hash_name(reference->text, reference->length);
	const struct emu_symbol *symbol = parser->buckets[hash % SYMBOL_BUCKETS];

	for (; symbol; symbol = symbol->same_bucket)
		if (symbol->kind == SYMBOL_LABEL && symbol->depth == parser->depth && symbol->hash == hash &&
				symbol->length == reference->length &&
				!memcmp(symbol->name, reference->text, reference->length))
			return symbol;
	return NULL;
}

/* Settles what can be settled; the rest goes to the scope around. */
static bool settle_references(struct emu_parser *parser, const struct emu_scope_mark *mark)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < parser->reference_count; i++) {
		struct emu_reference *reference = &parser->references[i];
		const struct emu_symbol *label = reference->scope == mark->id ? find_label(parser, reference) : NULL;

		if (label && reference->table_entry)
			*reference->table_entry = (uint32_t)label->number;
		else if (label)
			parser->module->code[reference->insn].target = (uint32_t)label->number;
		if (label)
			continue;
		if (reference->scope == mark->id && parser->depth == 1)
			return emu_parse_fail(parser, reference->line, "label %.*s is not defined",
					(int)reference->length, reference->text);
		if (reference->scope == mark->id)
			reference->scope = mark->parent;
		parser->references[kept++] = *reference;
	}
	parser->reference_count = kept;
	return true;
}

bool emu_scope_leave(struct emu_parser *parser)
{
	struct emu_scope_mark *mark = &parser->scopes[parser->depth];

	if (!settle_references(parser, mark))
		return false;
	while (parser->last_symbol != mark->symbols) {
		struct emu_symbol *symbol = parser->last_symbol;

		parser->buckets[symbol->hash % SYMBOL_BUCKETS] = symbol->same_bucket;
		parser->last_symbol = symbol->previous;
	}
	parser->depth--;
	return true;
}

bool emu_label_add(struct emu_parser *parser, const char *name, size_t length, unsigned line)
{
	struct emu_reference as_reference = { .text = name, .length = length };
	struct emu_symbol *symbol;

	if (find_label(parser, &as_reference))
		return emu_parse_fail(
			parser, line, "label %.*s is defined twice", (int)length, name);
	symbol = emu_symbol_add(parser, name, length, SYMBOL_LABEL);
	if (!symbol)
		return false;
	symbol->number = (int32_t)parser->module->code_count;
	return true;
}

bool emu_label_refer(struct emu_parser *parser, const char *name, size_t length, uint32_t insn, uint32_t *table_entry)
{
	struct emu_reference *larger = emu_arena_grow(&parser->module->arena, parser->references,
			&parser->reference_capacity, parser->reference_count, sizeof *larger);

	if (!larger)
		return emu_parse_no_memory(parser);
	parser->references = larger;
	larger[parser->reference_count++] = (struct emu_reference){ .text = name, .length = length,
		.line = table_entry ? parser->lexer.token.line : parser->module->code[insn].line,
		.scope = parser->scopes[parser->depth].id, .insn = insn,
		.table_entry = table_entry };
	return true;
}
