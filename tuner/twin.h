/* SPDX-License-Identifier: MIT
 *
 * Variants that the compiler makes the same machine code of.
 */
#ifndef TUNE_TWIN_H
#define TUNE_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "variant.h"

/* Of what a device loads of a cubin, without the names in it; 0 of what is none. */
uint64_t tune_code_hash(const void *image, size_t size);

/* Whether the same machine code would be launched in the same way for both. */
bool tune_is_launched_alike(const struct srt_variant *a, const struct srt_variant *b);

#endif
