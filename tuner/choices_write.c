/* SPDX-License-Identifier: MIT
 *
 * Writing choices as a text, which choices_text.c reads.
 */
#include "choices_text.h"

#include <inttypes.h>
#include <string.h>

#include "stated.h"

/* A value ends where its line does, whatever is in a name that a device or a person gave; there always is one. */
static void append_line(struct srt_strbuf *out, const char *word, const char *value)
{
	value += strspn(value, " \t\r\n");
	srt_strbuf_printf(out, "%s ", word);
	if (*value == '\0')
		srt_strbuf_append(out, "-");
	for (; *value; value++) {
		char letter[2] = { (unsigned char)*value < ' ' || *value == 127 ? ' ' : *value, '\0' };

		srt_strbuf_append(out, letter);
	}
	srt_strbuf_append(out, "\n");
}

static void format_head(struct srt_strbuf *head, const struct srt_db_measured *row)
{
	const struct srt_db_device *device = &row->device;

	append_line(head, "\ndevice", device->name);
	append_line(head, "fingerprint", device->fingerprint);
	append_line(head, "family", device->family);
	srt_strbuf_printf(head, "facts %d %d %" PRId64 " %" PRId64 "\n", device->capability, device->sm_count,
		device->l2_bytes, device->memory_bytes);
	if (device->is_modelled)
		srt_strbuf_append(head, "modelled\n");
	append_line(head, "kernels", row->kernels);
	append_line(head, "compiler", row->compiler);
	srt_strbuf_printf(head, "driver %d\n", row->driver_version);
	append_line(head, "effort", row->effort);
	append_line(head, "scantune", row->version);
}

static void format_time(char text[24], double us)
{
	if (us > 0)
		snprintf(text, 24, us < 1000 ? "%.3f" : "%.2f", us);
	else
		snprintf(text, 24, "-");
}

static void print_choice(FILE *file, const struct srt_db_choice *choice)
{
	struct srt_strbuf lines = { 0 };
	char high[24] = "more", us[24], low_us[24], high_us[24], default_us[24], copy_us[24];

	if (choice->high_count < INT64_MAX)
		snprintf(high, sizeof high, "%" PRIu64, choice->high_count);
	format_time(us, choice->us);
	format_time(low_us, choice->low_us);
	format_time(high_us, choice->high_us);
	format_time(default_us, choice->default_us);
	format_time(copy_us, choice->copy_us);
	fprintf(file, "%-7s %10" PRIu64 " %13s %10" PRIu64 " %9s %9s %9s %9s %9s  %s\n", choice->klass,
		choice->low_count, high, choice->count, us, low_us, high_us, default_us, copy_us,
		choice->border[0] ? choice->border : "-");
	append_line(&lines, "\tvariant", choice->variant);
	append_line(&lines, "\treason", choice->reason);
	fputs(srt_strbuf_text(&lines), file);
	srt_strbuf_free(&lines);
}

/* What is the same as in the line before is not said again. */
static bool is_news(struct srt_strbuf *last, struct srt_strbuf *now)
{
	bool is_new = strcmp(srt_strbuf_text(last), srt_strbuf_text(now)) != 0;

	srt_strbuf_free(last);
	*last = *now;
	return is_new;
}

int tune_choices_write(void *user, const struct srt_db_measured *measured)
{
	struct tune_choices_writer *writer = user;
	struct srt_strbuf head = { 0 }, problem = { 0 };
	struct tune_target target;
	bool has_head;

	/* What a file describes has its text in no choice. */
	if (!tune_target_of(&target, measured->choice.problem)) {
		writer->skipped++;
		return 0;
	}
	if (writer->count == 0)
		fputs("# Choices of scantune export --text; scantune vendor makes a database of them.  Times are in\n"
			"# microseconds, \"-\" is not known; scanrt-db(5) explains the rest.\n", writer->file);
	format_head(&head, measured);
	srt_strbuf_printf(&problem, "\nproblem %s\ntuned %s\n", measured->choice.problem, measured->choice.tuned_at);
	has_head = is_news(&writer->head, &head);
	if (has_head)
		fputs(srt_strbuf_text(&writer->head), writer->file);
	if (is_news(&writer->problem, &problem) || has_head)
		fprintf(writer->file, "%s# %-5s %10s %13s %10s %9s %9s %9s %9s %9s  %s\n",
			srt_strbuf_text(&writer->problem), "class", "from", "to", "count", "us", "low", "high",
			"default", "copy", "border");
	print_choice(writer->file, &measured->choice);
	writer->count++;
	return ferror(writer->file) || writer->head.failed || writer->problem.failed;
}

void tune_choices_end(struct tune_choices_writer *writer)
{
	srt_strbuf_free(&writer->head);
	srt_strbuf_free(&writer->problem);
}
