/* SPDX-License-Identifier: MIT
 *
 * What a kernel is compiled from: the options, and the hash of them and the sources.  Inside image_*.c and the tests
 * of keys; others use image.h.
 */
#ifndef SRT_RECIPE_H
#define SRT_RECIPE_H

#include <stddef.h>

#include "image.h"
#include "problem.h"
#include "source.h"
#include "variant.h"

#define SRT_MOST_OPTIONS 48

/* In the order in which the compiler gets them. */
struct srt_options {
	size_t count;
	char text[SRT_MOST_OPTIONS][56];
	const char *list[SRT_MOST_OPTIONS]; /* points into text: the structure stays where it was filled */
};

/* `arch` is "sm_90" or "compute_90".  entry NULL leaves out the entry's name, which is made from the hash. */
void srt_options_make(struct srt_options *options, const struct srt_problem *problem, const struct srt_variant *variant,
	const char *arch, const char *entry);

/* The same for the kernels beside the scans (reference.cu): only what is said of the problem. */
void srt_options_make_plain(struct srt_options *options, const struct srt_problem *problem, const char *arch);

/* The hash of the kernel ABI and of every source: its name, its length and its bytes. */
void srt_sources_hash(char hash[SRT_HASH_TEXT], const struct srt_source *sources);

/* The hash of a list of texts, each with its length, so that no two lists run together into one. */
void srt_texts_hash(char hash[SRT_HASH_TEXT], const char *const *texts, size_t count);

/* The recipe of these sources (by their hash) and the problem's own text, or NULL, under these options, which have no
 * entry yet. */
void srt_recipe_make(char recipe[SRT_HASH_TEXT], char entry[40], const char *source_hash, const char *user_text,
	const struct srt_options *options);

/* The key of an image: the recipe, and who made machine code of it and how. */
void srt_key_make(char key[SRT_HASH_TEXT], const char *recipe, const char *toolchain, const char *codegen,
	const char *arch);

#endif
