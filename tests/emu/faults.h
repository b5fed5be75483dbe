/* SPDX-License-Identifier: MIT
 *
 * Kernels that commit a fault, each beside its corrected twin: one text, where FAULT says which it is.
 */
#ifndef TESTS_EMU_FAULTS_H
#define TESTS_EMU_FAULTS_H

#include "tests/emu/machine.h"

struct fault {
	const char *name;     /* "a read beyond an array" */
	/* The body of a kernel with parameters (unsigned *out, const unsigned *in, unsigned *freed); out and in have
	 * 1024 words, out is all zero, in counts up. */
	const char *before;   /* what comes before the kernel */
	const char *body;
	unsigned grid, block, dynamic_shared;
	CUresult code;
	const char *text;     /* what the report says */
	bool needs_seeds;     /* shows only in some schedules: then one of a hundred must catch it */
};

/* Two tests a fault: it is caught, with kernel, line, CTA and thread in the text; the twin passes with many seeds. */
void faults_test(const struct fault *faults, int arch);
/* The same in clusters of so many CTAs. */
void faults_test_cluster(const struct fault *faults, int arch, unsigned cluster);

#endif
