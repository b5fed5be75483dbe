/* SPDX-License-Identifier: MIT
 *
 * What counts as the same machine code: names do not, code, constants and shared memory do.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tuner/twin.h"
#include "image.h"
#include "rtc.h"
#include "status.h"
#include "tap.h"

enum { CODE = 256, NAMES = 64, SECTIONS = 4 };

struct image {
	Elf64_Ehdr head;
	unsigned char code[CODE];
	char names[NAMES];
	Elf64_Shdr sections[SECTIONS];
};

static void make(struct image *image, const char *name, unsigned char seed, uint64_t shared)
{
	memset(image, 0, sizeof *image);
	memcpy(image->head.e_ident, ELFMAG, SELFMAG);
	image->head.e_ident[EI_CLASS] = ELFCLASS64;
	image->head.e_shentsize = sizeof(Elf64_Shdr);
	image->head.e_shnum = SECTIONS;
	image->head.e_shoff = offsetof(struct image, sections);
	for (int i = 0; i < CODE; i++)
		image->code[i] = (unsigned char)(seed + i * 7);
	snprintf(image->names, sizeof image->names, ".text.%s", name);
	image->sections[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, names),
		.sh_size = NAMES };
	image->sections[2] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_offset = offsetof(struct image, code), .sh_size = CODE };
	image->sections[3] = (Elf64_Shdr){ .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_WRITE,
		.sh_offset = UINT64_MAX, .sh_size = shared };
}

static uint64_t hash(const struct image *image)
{
	return tune_code_hash(image, sizeof *image);
}

static void test_sections(void)
{
	struct image first, second;
	int unseen = 0;

	make(&first, "scan_0011", 1, 4096);
	make(&second, "scan_2233", 1, 4096);
	tap_ok(hash(&first) != 0 && hash(&first) == hash(&second), "two names of the same code make no difference");
	make(&second, "scan_0011", 1, 8192);
	tap_ok(hash(&first) != hash(&second), "shared memory does");
	for (int i = 0; i < CODE; i++) {
		make(&second, "scan_0011", 1, 4096);
		second.code[i] ^= 1;
		unseen += hash(&first) == hash(&second);
	}
	tap_is_int(unseen, 0, "and so does every byte of the code");
}

/* A heap block of just that size, for a sanitizer to see what is read beyond it. */
static void test_damage(void)
{
	struct image image;
	int found = 0, crazy = 0;

	make(&image, "scan_0011", 1, 4096);
	for (size_t size = 0; size < sizeof image; size++) {
		unsigned char *cut = malloc(size ? size : 1);

		if (!cut)
			tap_bail_out("no memory");
		memcpy(cut, &image, size);
		found += tune_code_hash(cut, size) != 0;
		free(cut);
	}
	tap_is_int(found, 0, "of an image that is cut short there is nothing to compare");
	for (size_t i = 0; i < sizeof image; i++) {
		unsigned char *bytes = malloc(sizeof image);

		if (!bytes)
			tap_bail_out("no memory");
		memcpy(bytes, &image, sizeof image);
		bytes[i] ^= 0xff;
		crazy += tune_code_hash(bytes, sizeof image) != 0;
		free(bytes);
	}
	tap_ok(crazy > 0, "any byte may be another, and is read as it is (%d of %zu are still images)", crazy,
		sizeof image);
	tap_ok(tune_code_hash("PTX text", 9) == 0 && tune_code_hash(NULL, 0) == 0, "what is no image has no code");
}

static bool is_alike(const char *a, const char *b)
{
	struct srt_variant first, second;

	if (srt_variant_parse(&first, a) || srt_variant_parse(&second, b))
		tap_bail_out("%s", srt_error_last()->text);
	return tune_is_launched_alike(&first, &second);
}

static void test_launches(void)
{
	tap_ok(is_alike("lookback,items=8", "lookback,items=8,residency=1"), "a bound on registers launches alike");
	tap_ok(is_alike("lookback,items=8", "lookback,items=8,load=plain"), "so do other loads");
	tap_ok(!is_alike("lookback,items=8", "lookback,items=12"), "another tile does not");
	tap_ok(!is_alike("lookahead,stages=4", "lookahead,stages=5"), "nor does another ring");
	tap_ok(!is_alike("lookback,items=8", "totals,items=8"), "nor another strategy");
}

static uint64_t compile(const struct srt_rtc *rtc, const char *text)
{
	struct srt_problem problem;
	struct srt_variant variant;
	struct srt_image image;
	uint64_t code;

	if (srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM) || srt_variant_parse(&variant, text) ||
		srt_image_build(&image, rtc, NULL, &problem, &variant, 90, SRT_CODEGEN_SASS, NULL))
		tap_bail_out("%s: %s", text, srt_error_last()->text);
	code = tune_code_hash(image.bytes, image.size);
	srt_image_free(&image);
	return code;
}

/* 512 threads of 64 registers fill half of a multiprocessor: a bound for one block binds nothing. */
static void test_compiler(void)
{
	const struct srt_rtc *rtc;
	uint64_t code;

	if (srt_rtc_open(&rtc) != SCANRT_OK || !srt_rtc_has_arch(rtc, 90)) {
		tap_skip(2, "no NVRTC that knows sm_90");
		return;
	}
	code = compile(rtc, "block,block=128,items=8");
	tap_ok(code != 0 && code == compile(rtc, "block,block=128,items=8,residency=2"),
		"the compiler makes the same code of a bound that binds nothing");
	tap_ok(code != compile(rtc, "block,block=128,items=4"), "and other code of another tile");
}

int main(void)
{
	tap_plan(0);
	test_sections();
	test_damage();
	test_launches();
	test_compiler();
	return tap_done();
}
