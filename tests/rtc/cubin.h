/* SPDX-License-Identifier: MIT
 *
 * What a cubin says of its kernel: it is an ELF file.
 */
#ifndef TEST_CUBIN_H
#define TEST_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

/* Shared memory of the kernel's own, in bytes. */
size_t cubin_shared_bytes(const void *bytes, size_t size);
/* Stack of the deepest function, in bytes a thread: local memory. */
size_t cubin_stack_bytes(const void *bytes, size_t size);
/* Whether the module has variables, which a driver would have to make room for and fill when it loads it. */
bool cubin_has_variables(const void *bytes, size_t size);
/* Whether there is a kernel of that name. */
bool cubin_has_kernel(const void *bytes, size_t size, const char *name);

#endif
