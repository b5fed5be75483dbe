/* SPDX-License-Identifier: MIT */
#include "print.h"

#include "memory.h"

#include <stdio.h>
#include <string.h>

/* Bytes of local or global memory; false where there are none. */
static bool read_bytes(const struct emu_warp *warp, int lane, uint64_t address, void *bytes, size_t count)
{
	uint32_t local = warp->run->function->total_local;
	uint64_t offset = address - EMU_LOCAL_WINDOW;
	const struct emu_allocation *found;

	if (offset < EMU_WINDOW_BYTES) {
		if (offset + count > local)
			return false;
		memcpy(bytes, warp->local + (size_t)lane * local + offset, count);
		return true;
	}
	found = emu_memory_lookup(warp->run->machine, address);
	if (!found || found->is_freed || address - found->base + count > found->bytes)
		return false;
	memcpy(bytes, found->data + (address - found->base), count);
	return true;
}

/* Where the arguments lie, and how far they have been taken. */
struct arguments {
	const struct emu_warp *warp;
	int lane;
	uint64_t at;
	uint32_t count;
};

static uint64_t next_argument(struct arguments *arguments, unsigned bytes)
{
	uint64_t value = 0;

	arguments->at = (arguments->at + bytes - 1) / bytes * bytes;
	read_bytes(arguments->warp, arguments->lane, arguments->at, &value, bytes);
	arguments->at += bytes;
	arguments->count++;
	return value;
}

static void print_text(const struct arguments *arguments, const char *spec, uint64_t address)
{
	char text[512];
	size_t at = 0;

	while (at + 1 < sizeof text && read_bytes(arguments->warp, arguments->lane, address + at, &text[at], 1) &&
			text[at])
		at++;
	text[at] = '\0';
	if (strlen(spec) == 2)
		fputs(text, stdout);
	else
		fwrite(text, 1, at, stdout);
}

/* A conversion with flags, width and precision, but for the letters of its length, which become ours. */
static void print_number(struct arguments *arguments, const char *spec, char letter, bool is_long)
{
	char own[40];
	uint64_t bits;
	double value;

	if (strchr("eEfFgGaA", letter)) {
		bits = next_argument(arguments, 8);
		memcpy(&value, &bits, sizeof value);
		snprintf(own, sizeof own, "%s%c", spec, letter);
		printf(own, value);
		return;
	}
	bits = next_argument(arguments, is_long ? 8 : 4);
	if (strchr("di", letter) && !is_long)
		bits = (uint64_t)(int64_t)(int32_t)bits;
	if (letter == 'c') {
		putchar((int)bits);
		return;
	}
	snprintf(own, sizeof own, "%sll%c", spec, letter);
	printf(own, (unsigned long long)bits);
}

/* From the percent sign to behind its letter. */
static const char *print_conversion(struct arguments *arguments, const char *format)
{
	char spec[32] = "%";
	size_t length = 1;
	bool is_long = false;

	for (format++; *format && strchr("-+ #0123456789.", *format) && length < 24; format++)
		spec[length++] = *format;
	for (; *format && strchr("hlzjt", *format); format++)
		is_long |= *format != 'h';
	if (!*format)
		return format;
	if (*format == '%')
		putchar('%');
	else if (*format == 's')
		print_text(arguments, "%s", next_argument(arguments, 8));
	else if (*format == 'p')
		printf("0x%llx", (unsigned long long)next_argument(arguments, 8));
	else if (strchr("diouxXceEfFgGaA", *format))
		print_number(arguments, spec, *format, is_long);
	return format + 1;
}

uint32_t emu_print(const struct emu_warp *warp, int lane, const char *format, uint64_t address)
{
	struct arguments arguments = { warp, lane, address, 0 };

	while (*format)
		if (*format == '%')
			format = print_conversion(&arguments, format);
		else
			putchar(*format++);
	fflush(stdout);
	return arguments.count;
}
