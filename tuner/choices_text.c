/* SPDX-License-Identifier: MIT
 *
 * Reading.  The form is a few facts of a device, each a line, then problems, and three lines for each of their size
 * classes.
 */
#include "choices_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

#define FILE_BYTES_MAX ((size_t)4 << 20)
#define OPEN_END INT64_MAX /* of the last class, "more" in the text */
#define NUMBERS 9          /* words of a class: a range, a count, five times and a border */

enum { HAS_DEVICE = 1, HAS_FINGERPRINT = 2, HAS_FAMILY = 4, HAS_FACTS = 8, HAS_KERNELS = 16, HAS_COMPILER = 32,
	HAS_DRIVER = 64, HAS_EFFORT = 128, HAS_VERSION = 256, HAS_ALL = 511 };

struct reader {
	const char *path;
	int line;
	struct srt_db_measured row; /* its texts lie in the file's, which is taken apart in place */
	int has;
	bool is_within; /* a device's problems have begun, so that the next `device` begins another */
	bool has_problem;
	enum { NOTHING, CLASS, VARIANT } has_choice; /* so much of one */
};

static int fail(const struct reader *reader, const char *what, const char *word)
{
	return srt_fail(SCANRT_ERROR_TEXT, "%s:%d: %s%s%s", reader->path, reader->line, what, *word ? ": " : "", word);
}

static bool is_hash(const char *text)
{
	return strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32;
}

static bool parse_count(uint64_t *count, const char *word)
{
	char *end;

	errno = 0;
	*count = strtoull(word, &end, 10);
	return *word >= '0' && *word <= '9' && *end == '\0' && errno == 0 && *count <= OPEN_END;
}

static bool parse_int(int *number, const char *word)
{
	uint64_t count;
	bool is_number = parse_count(&count, word) && count <= INT32_MAX;

	*number = is_number ? (int)count : 0;
	return is_number;
}

static bool parse_time(double *us, const char *word)
{
	char *end;

	*us = 0;
	if (strcmp(word, "-") == 0)
		return true;
	*us = strtod(word, &end);
	return *word >= '0' && *word <= '9' && *end == '\0' && isfinite(*us) && *us > 0;
}

/* Words from here on, each ended in place; *text is left at what follows them. */
static size_t split(char **words, size_t most, char **text)
{
	size_t count = 0;

	for (;;) {
		*text += strspn(*text, " \t");
		if (**text == '\0' || count == most)
			return count;
		words[count++] = *text;
		*text += strcspn(*text, " \t");
		if (**text)
			*(*text)++ = '\0';
	}
}

static int take_facts(struct reader *reader, char *value)
{
	struct srt_db_device *device = &reader->row.device;
	char *words[4];
	uint64_t l2, memory;

	if (split(words, 4, &value) != 4 || *value || !parse_int(&device->capability, words[0]) ||
		!parse_int(&device->sm_count, words[1]) || !parse_count(&l2, words[2]) ||
		!parse_count(&memory, words[3]) || device->capability == 0)
		return fail(reader, "wants a capability, multiprocessors, and bytes of L2 and memory", "facts");
	device->l2_bytes = (int64_t)l2;
	device->memory_bytes = (int64_t)memory;
	return SCANRT_OK;
}

/* "sum i32": what the operator and the type are is for the caller to see. */
static int take_problem(struct reader *reader, const char *value)
{
	struct srt_db_choice *choice = &reader->row.choice;

	if (reader->has != HAS_ALL)
		return fail(reader, "the device wants fingerprint, family, facts, kernels, compiler, driver, effort "
				    "and scantune before its problems", "");
	reader->is_within = reader->has_problem = true;
	choice->tuned_at[0] = '\0';
	snprintf(choice->problem, sizeof choice->problem, "%s", value);
	return strlen(value) < sizeof choice->problem ? SCANRT_OK : fail(reader, "too long a name", value);
}

static void begin_device(struct reader *reader)
{
	memset(&reader->row, 0, sizeof reader->row);
	reader->row.device.uuid = "";
	reader->has = 0;
	reader->is_within = reader->has_problem = false;
}

static int take_fact(struct reader *reader, const char *word, char *value)
{
	struct srt_db_measured *row = &reader->row;
	const struct { const char *name; int bit; const char **place; } texts[] = {
		{ "device", HAS_DEVICE, &row->device.name },
		{ "fingerprint", HAS_FINGERPRINT, &row->device.fingerprint },
		{ "family", HAS_FAMILY, &row->device.family }, { "kernels", HAS_KERNELS, &row->kernels },
		{ "compiler", HAS_COMPILER, &row->compiler }, { "effort", HAS_EFFORT, &row->effort },
		{ "scantune", HAS_VERSION, &row->version } };
	int bit = strcmp(word, "facts") == 0 ? HAS_FACTS : strcmp(word, "driver") == 0 ? HAS_DRIVER : 0;

	if (*value == '\0')
		return fail(reader, "wants a value", word);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (strcmp(texts[i].name, word) == 0) {
			*texts[i].place = value;
			bit = texts[i].bit;
		}
	if (bit == 0)
		return fail(reader, "no such statement", word);
	if (reader->has & bit)
		return fail(reader, "stands there twice", word);
	reader->has |= bit;
	if (bit == HAS_FACTS)
		return take_facts(reader, value);
	if ((bit == HAS_DRIVER && !parse_int(&row->driver_version, value)) ||
		(bit == HAS_KERNELS && !is_hash(value)) ||
		(bit == HAS_EFFORT && strcmp(value, "quick") && strcmp(value, "normal") && strcmp(value, "thorough")))
		return fail(reader, "no such value", value);
	return SCANRT_OK;
}

/* "2026-11-30T12:00:00Z" */
static bool is_date(const char *word)
{
	static const char form[] = "0000-00-00T00:00:00Z";
	size_t i = 0;

	while (form[i] && (form[i] == '0' ? word[i] >= '0' && word[i] <= '9' : word[i] == form[i]))
		i++;
	return form[i] == '\0' && word[i] == '\0';
}

static bool parse_numbers(struct srt_db_choice *choice, char *const *words)
{
	double *const times[] = { &choice->us, &choice->low_us, &choice->high_us, &choice->default_us,
		&choice->copy_us };
	bool are_numbers = parse_count(&choice->low_count, words[0]) && parse_count(&choice->count, words[2]);

	choice->high_count = OPEN_END;
	if (strcmp(words[1], "more") != 0)
		are_numbers = are_numbers && parse_count(&choice->high_count, words[1]);
	for (size_t i = 0; i < 5; i++)
		are_numbers = are_numbers && parse_time(times[i], words[3 + i]);
	return are_numbers && choice->us > 0 && choice->count > 0 && choice->low_count <= choice->high_count;
}

static int take_class(struct reader *reader, const char *klass, char *rest)
{
	struct srt_db_choice *choice = &reader->row.choice;
	char *words[NUMBERS];

	if (!reader->has_problem || choice->tuned_at[0] == '\0')
		return fail(reader, "a choice wants a problem and its day before it", klass);
	if (split(words, NUMBERS, &rest) != NUMBERS || *rest || !parse_numbers(choice, words))
		return fail(reader, "wants a range, a count, five times and a border", klass);
	snprintf(choice->klass, sizeof choice->klass, "%s", klass);
	snprintf(choice->border, sizeof choice->border, "%s", strcmp(words[8], "-") == 0 ? "" : words[8]);
	reader->has_choice = CLASS;
	return SCANRT_OK;
}

static int take_variant(struct reader *reader, const char *text)
{
	struct srt_db_choice *choice = &reader->row.choice;

	if (reader->has_choice != CLASS || strlen(text) >= sizeof choice->variant)
		return fail(reader, "follows a class, and is shorter", "variant");
	snprintf(choice->variant, sizeof choice->variant, "%s", text);
	reader->has_choice = VARIANT;
	return SCANRT_OK;
}

/* With which a choice is complete. */
static int take_reason(struct reader *reader, const char *text, tune_choices_function take, void *user)
{
	struct srt_db_choice *choice = &reader->row.choice;

	if (reader->has_choice != VARIANT)
		return fail(reader, "follows a variant", "reason");
	snprintf(choice->reason, sizeof choice->reason, "%s", text);
	reader->has_choice = NOTHING;
	return take(user, &reader->row, reader->line);
}

static int take_date(struct reader *reader, const char *text)
{
	if (!reader->has_problem || !is_date(text))
		return fail(reader, "wants a problem before it, and a time like 2026-11-30T12:00:00Z", "tuned");
	snprintf(reader->row.choice.tuned_at, sizeof reader->row.choice.tuned_at, "%s", text);
	return SCANRT_OK;
}

static bool is_class(const char *word)
{
	static const char *const names[] = { "tile", "few", "small", "wave", "waves", "swell", "medium", "large" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i], word) == 0)
			return true;
	return false;
}

static int take_line(struct reader *reader, char *line, tune_choices_function take, void *user)
{
	char *word;

	line[strcspn(line, "\r")] = '\0';
	if (split(&word, 1, &line) == 0 || word[0] == '#')
		return SCANRT_OK;
	line += strspn(line, " \t");
	if (strcmp(word, "variant") == 0)
		return take_variant(reader, line);
	if (strcmp(word, "reason") == 0)
		return take_reason(reader, line, take, user);
	if (reader->has_choice != NOTHING)
		return fail(reader, "a choice is not complete before", word);
	if (is_class(word))
		return take_class(reader, word, line);
	if (strcmp(word, "device") == 0 && reader->is_within)
		begin_device(reader);
	if (strcmp(word, "problem") == 0)
		return take_problem(reader, line);
	if (strcmp(word, "tuned") == 0)
		return take_date(reader, line);
	if (strcmp(word, "modelled") == 0) {
		reader->row.device.is_modelled = true;
		return SCANRT_OK;
	}
	return take_fact(reader, word, line);
}

int tune_text_read(struct srt_strbuf *text, const char *path)
{
	FILE *file = fopen(path, "rb");
	char piece[4096];
	size_t length;

	if (file == NULL)
		return srt_fail(SCANRT_ERROR_TEXT, "%s: %s", path, strerror(errno));
	while (text->length <= FILE_BYTES_MAX && (length = fread(piece, 1, sizeof piece, file)) > 0)
		srt_strbuf_append_bytes(text, piece, length);
	fclose(file);
	if (text->failed)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for %s", path);
	if (text->length > FILE_BYTES_MAX || strlen(srt_strbuf_text(text)) != text->length)
		return srt_fail(SCANRT_ERROR_TEXT, "%s: is no text of choices", path);
	return SCANRT_OK;
}

int tune_choices_read(const char *path, tune_choices_function take, void *user)
{
	struct reader reader = { .path = path };
	struct srt_strbuf text = { 0 };
	char *next = NULL;
	int status = tune_text_read(&text, path);

	begin_device(&reader);
	for (char *line = text.text; !status && line && *line; line = next) {
		size_t length = strcspn(line, "\n");

		next = line + length + (line[length] == '\n');
		line[length] = '\0';
		reader.line++;
		status = take_line(&reader, line, take, user);
	}
	if (!status && (!reader.has_problem || reader.has_choice != NOTHING))
		status = srt_fail(SCANRT_ERROR_TEXT, "%s: ends without a choice", path);
	srt_strbuf_free(&text);
	return status;
}
