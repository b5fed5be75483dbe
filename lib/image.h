/* SPDX-License-Identifier: MIT
 *
 * Machine code for one problem and variant, and how it is made: sources and options in, image out.
 *
 * Two hashes.  The recipe is what was asked: every source, every option in order, the architecture and the kernel
 * ABI.  A program without a compiler can compute it, and finds images in the database by it.  The key adds who made
 * it (NVRTC's version and build, the way through PTX or not), so that two compilers never share a row.
 */
#ifndef SRT_IMAGE_H
#define SRT_IMAGE_H

#include "problem.h"
#include "variant.h"

struct srt_rtc;    /* rtc.h */
struct srt_driver; /* driver.h */

#define SRT_HASH_TEXT 33 /* 32 hexadecimal digits of XXH3-128, and the terminator */

struct srt_image {
	char recipe[SRT_HASH_TEXT];
	char key[SRT_HASH_TEXT];
	char entry[40];    /* the kernel's symbol: scan_ and 16 digits of the recipe */
	char codegen[8];   /* "sass" or "ptx" (made by the driver's JIT linker) */
	char arch[16];     /* "sm_90" */
	char toolchain[64];/* "nvrtc 13.0 build ..." */
	void *bytes;       /* a cubin */
	size_t size;
};

void srt_image_free(struct srt_image *image); /* frees the bytes and zeroes the structure */

/* The hash of all kernel sources and the ABI number: constant for one build of the library. */
const char *srt_source_hash(void);

/* The recipe and entry name for a problem and variant on compute capability `capability`. */
int srt_image_recipe(char recipe[SRT_HASH_TEXT], char entry[40], const struct srt_problem *problem,
	const struct srt_variant *variant, int capability);

enum srt_codegen { SRT_CODEGEN_AUTO = 0, SRT_CODEGEN_SASS = 1, SRT_CODEGEN_PTX = 2 };

/* Compiles.  AUTO asks NVRTC for SASS where it knows the architecture, and else for PTX of the newest architecture
 * not beyond the device, which `driver`'s JIT linker turns into a cubin (a current context is needed then, and only
 * then: driver may be NULL for SASS).  On failure `log`, if not NULL, has the compiler's messages. */
int srt_image_build(struct srt_image *image, const struct srt_rtc *rtc, const struct srt_driver *driver,
	const struct srt_problem *problem, const struct srt_variant *variant, int capability, int codegen,
	struct srt_strbuf *log);

/* The way through PTX in two steps, for a process that has the compiler and another that has the context.  The first
 * leaves PTX (terminated, the terminator not counted) and no key in the image; the second makes machine code of it. */
int srt_image_build_ptx(struct srt_image *image, const struct srt_rtc *rtc, const struct srt_problem *problem,
	const struct srt_variant *variant, int capability, struct srt_strbuf *log);
int srt_image_link(struct srt_image *image, const struct srt_driver *driver, struct srt_strbuf *log);

/* The kernels beside the scans, for the same types and operator: `file` is reference.cu or user_try.cu.  Machine code
 * where is_ptx is not set, which `capability` has to be known for; else PTX, for srt_image_link().  No recipe, no key:
 * these are not kept. */
int srt_image_build_tool(struct srt_image *image, const struct srt_rtc *rtc, const struct srt_problem *problem,
	const char *file, int capability, bool is_ptx, struct srt_strbuf *log);

/* NVRTC's output of the same sources and options, as text or bytes, without the linker: for the rtc tests and for
 * offline inspection.  `arch` is "sm_90" for SASS, "compute_90" for PTX. */
int srt_image_compile(void **bytes, size_t *size, const struct srt_rtc *rtc, const struct srt_problem *problem,
	const struct srt_variant *variant, const char *arch, struct srt_strbuf *log);

#endif
