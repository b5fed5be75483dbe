/* SPDX-License-Identifier: MIT
 *
 * PTX text to something that runs, as the driver side sees it.
 */
#ifndef EMU_MODULE_H
#define EMU_MODULE_H

#include "machine.h"

struct emu_error {
	CUresult code;    /* INVALID_PTX, UNSUPPORTED_PTX_VERSION, INVALID_IMAGE, NO_BINARY_FOR_GPU, ... */
	unsigned line;    /* of the PTX text, from 1; 0 where it concerns no line */
	char text[512];   /* one line, with the line number in it */
};

/* Parses text, which need not end in a null byte when bytes is given right.  On success *module belongs to the caller.
 * Nothing of text is kept.  The same module can be loaded into one machine only. */
CUresult emu_module_parse(struct emu_module **module, const char *text, size_t bytes, struct emu_error *error);
/* Checks the target against the machine, places the .global and .const variables in its memory, writes their
 * initial values.  A module must be loaded before its entries run. */
CUresult emu_module_load(struct emu_module *module, struct emu_machine *machine, struct emu_error *error);
/* Frees its variables too.  Null is accepted.  The machine must still be there if the module was loaded. */
void emu_module_destroy(struct emu_module *module);

/* What .version and .target said: version 90 for 9.0, target 75 for sm_75 or compute_75. */
unsigned emu_module_ptx_version(const struct emu_module *module);
unsigned emu_module_target(const struct emu_module *module);

/* Null where there is none. */
const struct emu_entry *emu_module_entry(const struct emu_module *module, const char *name);
size_t emu_module_entry_count(const struct emu_module *module);
const struct emu_entry *emu_module_entry_at(const struct emu_module *module, size_t index);
/* A .global or .const variable: CUDA_ERROR_NOT_FOUND where there is none. */
CUresult emu_module_global(uint64_t *address, uint64_t *bytes, const struct emu_module *module, const char *name);

struct emu_entry_facts {
	const char *name;
	unsigned registers;       /* an estimate per thread, from the live ranges, rounded up to 8 */
	unsigned shared_static;   /* bytes */
	unsigned local_bytes;     /* per thread */
	unsigned const_bytes;     /* of the module's .const variables */
	unsigned max_threads;     /* .maxntid, or what the registers allow */
	unsigned min_blocks;      /* .minnctapersm, or 0 */
	unsigned cluster[3];      /* .reqnctapercluster, or 0 */
	size_t parameter_count;
	size_t parameter_bytes;   /* of the whole buffer */
};

void emu_entry_facts(struct emu_entry_facts *facts, const struct emu_entry *entry);
/* CUDA_ERROR_INVALID_VALUE beyond the last. */
CUresult emu_entry_parameter(size_t *offset, size_t *bytes, const struct emu_entry *entry, size_t index);

#endif
