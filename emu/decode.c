/* SPDX-License-Identifier: MIT
 *
 * Which decoder a statement goes to, and the parts of an opcode.
 */
#include "decode.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROW_BUCKETS 4096 /* well above the number of rows */

static const struct emu_row *row_buckets[ROW_BUCKETS];
static pthread_once_t rows_are_hashed = PTHREAD_ONCE_INIT;

static const struct emu_row *const row_tables[] = {
	emu_integer_rows, emu_logic_rows, emu_bit_rows, emu_float_rows, emu_half_rows, emu_double_rows,
	emu_approximate_rows,
};

static const struct emu_family *const family_tables[] = {
	emu_memory_families, emu_sync_families, emu_control_families, emu_convert_families, emu_compare_families,
	emu_async_families, emu_move_families, emu_collective_families, emu_atomic_families, emu_mbarrier_families,
	emu_select_families,
};

static uint32_t hash_key(const char *key)
{
	uint32_t hash = 2166136261u;

	while (*key)
		hash = (hash ^ (unsigned char)*key++) * 16777619u;
	return hash;
}

static void hash_rows(void)
{
	for (size_t t = 0; t < sizeof row_tables / sizeof *row_tables; t++)
		for (const struct emu_row *row = row_tables[t]; row->key; row++) {
			uint32_t bucket = hash_key(row->key) % ROW_BUCKETS;

			while (row_buckets[bucket])
				bucket = (bucket + 1) % ROW_BUCKETS;
			row_buckets[bucket] = row;
		}
}

const struct emu_row *emu_row_find(const char *key)
{
	uint32_t bucket = hash_key(key) % ROW_BUCKETS;

	pthread_once(&rows_are_hashed, hash_rows);
	while (row_buckets[bucket] && strcmp(row_buckets[bucket]->key, key))
		bucket = (bucket + 1) % ROW_BUCKETS;
	return row_buckets[bucket];
}

static bool part_is(const struct emu_part *part, const char *text)
{
	return part->length == strlen(text) && !memcmp(part->text, text, part->length);
}

bool emu_take(struct emu_statement *statement, const char *part)
{
	for (unsigned i = 1; i < statement->part_count; i++)
		if (!statement->parts[i].is_taken && part_is(&statement->parts[i], part)) {
			statement->parts[i].is_taken = true;
			return true;
		}
	return false;
}

enum emu_type emu_take_type(struct emu_statement *statement)
{
	for (unsigned i = 1; i < statement->part_count; i++) {
		struct emu_part *part = &statement->parts[i];
		enum emu_type type = part->is_taken ? TYPE_NONE : emu_type_named(part->text, part->length);

		if (type != TYPE_NONE) {
			part->is_taken = true;
			return type;
		}
	}
	return TYPE_NONE;
}

bool emu_unknown(struct emu_parser *parser, const struct emu_statement *statement, const char *why)
{
	int length = (int)(statement->opcode_length > 100 ? 100 : statement->opcode_length);

	return emu_parse_fail(parser, statement->line, "instruction %.*s %s", length, statement->opcode, why);
}

bool emu_all_taken(struct emu_parser *parser, struct emu_statement *statement)
{
	for (unsigned i = 1; i < statement->part_count; i++)
		if (!statement->parts[i].is_taken)
			return emu_parse_fail(parser, statement->line, "instruction %.*s is not known: '.%.*s'",
					(int)(statement->opcode_length > 100 ? 100 : statement->opcode_length),
					statement->opcode,
					(int)(statement->parts[i].length > 40 ? 40 : statement->parts[i].length),
					statement->parts[i].text);
	return !parser->is_failed;
}

bool emu_operand_count(struct emu_parser *parser, const struct emu_statement *statement, unsigned least, unsigned most)
{
	if (statement->operand_count >= least && statement->operand_count <= most)
		return true;
	return emu_unknown(parser, statement, "has the wrong number of operands");
}

void emu_take_order(struct emu_statement *statement, enum emu_order *order, enum emu_scope *scope)
{
	*order = emu_take(statement, "relaxed") ? ORDER_RELAXED : emu_take(statement, "acquire") ? ORDER_ACQUIRE :
		emu_take(statement, "release") ? ORDER_RELEASE : emu_take(statement, "acq_rel") ? ORDER_ACQ_REL :
		ORDER_WEAK;
	*scope = emu_take(statement, "cta") ? EMU_SCOPE_CTA : emu_take(statement, "cluster") ? EMU_SCOPE_CLUSTER :
		emu_take(statement, "gpu") ? EMU_SCOPE_GPU : emu_take(statement, "sys") ? EMU_SCOPE_SYS :
		EMU_SCOPE_GPU;
}

bool emu_take_rounding(struct emu_statement *statement, enum emu_rounding *rounding)
{
	*rounding = ROUND_NEAREST;
	if (emu_take(statement, "rn"))
		return true;
	*rounding = emu_take(statement, "rz") ? ROUND_ZERO : emu_take(statement, "rm") ? ROUND_DOWN :
		emu_take(statement, "rp") ? ROUND_UP : ROUND_NEAREST;
	return *rounding != ROUND_NEAREST;
}

enum emu_space emu_take_space(struct emu_statement *statement)
{
	if (emu_take(statement, "global"))
		return SPACE_GLOBAL;
	if (emu_take(statement, "shared") || emu_take(statement, "shared::cta") ||
			emu_take(statement, "shared::cluster"))
		return SPACE_SHARED;
	if (emu_take(statement, "local"))
		return SPACE_LOCAL;
	if (emu_take(statement, "const"))
		return SPACE_CONST;
	if (emu_take(statement, "param") || emu_take(statement, "param::entry") || emu_take(statement, "param::func"))
		return SPACE_PARAM;
	return SPACE_GENERIC;
}

/* What may stand anywhere in an arithmetic opcode without changing which instruction it is. */
static const struct {
	const char *part;
	uint16_t flag;
} modifiers[] = {
	{ "ftz", INSN_FTZ }, { "sat", INSN_SAT }, { "NaN", INSN_NAN }, { "xorsign", INSN_XORSIGN },
	{ "abs", INSN_ABS }, { "relu", INSN_RELU },
};

static void join_parts(char *key, size_t size, const struct emu_statement *statement, bool with_taken)
{
	size_t length = 0;

	/* min and max of three have rows of their own. */
	bool is_of_three = statement->operand_count == 4 &&
		(part_is(&statement->parts[0], "min") || part_is(&statement->parts[0], "max"));

	key[0] = '\0';
	for (unsigned i = 0; i < statement->part_count && length < size; i++)
		if (i == 0 || with_taken || !statement->parts[i].is_taken)
			length += (size_t)snprintf(key + length, size - length, "%s%.*s%s", i ? "." : "",
					(int)statement->parts[i].length, statement->parts[i].text,
					i == 0 && is_of_three ? "3" : "");
}

static const struct emu_row *find_row(struct emu_statement *statement, uint16_t *flags, enum emu_rounding *rounding)
{
	const struct emu_row *row;
	bool rounds;
	char key[160];

	*flags = 0;
	*rounding = ROUND_NEAREST;
	if (statement->opcode_length >= sizeof key)
		return NULL;
	join_parts(key, sizeof key, statement, true);
	row = emu_row_find(key);
	if (row)
		return row;
	rounds = emu_take_rounding(statement, rounding);
	for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
		if (emu_take(statement, modifiers[i].part))
			*flags |= modifiers[i].flag;
	join_parts(key, sizeof key, statement, false);
	row = emu_row_find(key);
	return row && !(*flags & ~row->allowed) && (row->rounds || !rounds) ? row : NULL;
}

static unsigned shape_bytes(char letter)
{
	return letter == 'b' ? 1 : letter == 'h' ? 2 : letter == 'w' ? 4 : letter == 'd' ? 8 : letter == 'q' ? 16 : 0;
}

static bool decode_row(struct emu_parser *parser, struct emu_statement *statement, const struct emu_row *row,
		uint16_t flags, enum emu_rounding rounding)
{
	int32_t operands[EMU_OPERANDS];
	unsigned count = 0, destinations = 0;
	bool is_source = false;
	struct emu_insn *insn;

	for (const char *s = row->shape; *s; s++) {
		if (*s == '=') {
			is_source = true;
			destinations = count;
			continue;
		}
		operands[count] = is_source ? emu_source(parser, statement, count, shape_bytes(*s)) :
			emu_destination(parser, statement, count, shape_bytes(*s));
		count++;
	}
	if (!emu_operand_count(parser, statement, count, count) || parser->is_failed)
		return false;
	insn = emu_emit(parser, statement, row->run);
	for (unsigned i = 0; i < count; i++)
		if (i < destinations)
			emu_add_destination(insn, operands[i]);
		else
			emu_add_source(insn, operands[i]);
	insn->flags = flags;
	insn->rounding = (uint8_t)rounding;
	return true;
}

static bool uses_carry(const struct emu_statement *statement)
{
	const struct emu_part *family = &statement->parts[0];

	for (unsigned i = 1; i < statement->part_count; i++)
		if (part_is(&statement->parts[i], "cc"))
			return part_is(family, "add") || part_is(family, "sub") || part_is(family, "mad") ||
				part_is(family, "addc") || part_is(family, "subc") || part_is(family, "madc");
	return part_is(family, "addc") || part_is(family, "subc") || part_is(family, "madc");
}

bool emu_decode(struct emu_parser *parser, struct emu_statement *statement)
{
	enum emu_rounding rounding;
	const struct emu_row *row;
	uint16_t flags;

	for (size_t t = 0; t < sizeof family_tables / sizeof *family_tables; t++)
		for (const struct emu_family *family = family_tables[t]; family->name; family++)
			if (part_is(&statement->parts[0], family->name))
				return family->decode(parser, statement);
	if (uses_carry(statement))
		return emu_decode_carry(parser, statement);
	row = find_row(statement, &flags, &rounding);
	if (!row)
		return emu_unknown(parser, statement, "is not known");
	return decode_row(parser, statement, row, flags, rounding);
}
