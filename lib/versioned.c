/* SPDX-License-Identifier: MIT */
#include "versioned.h"

#include <assert.h>
#include <string.h>

#include "status.h"

int srt_versioned_read(void *into, size_t known, const void *from, size_t least, const char *name)
{
	const unsigned char *bytes = from;
	size_t size;
	size_t i;

	assert(least >= sizeof(size) && least <= known);
	if (!from)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "%s is null", name);
	memcpy(&size, from, sizeof(size));
	if (size < least)
		return srt_fail(SCANRT_ERROR_STRUCT_SIZE, "%s has size %zu, and %zu is the least", name, size, least);
	/* A newer program may use a larger structure, as long as it asks for nothing that we cannot know. */
	for (i = known; i < size; i++)
		if (bytes[i] != 0)
			return srt_fail(SCANRT_ERROR_STRUCT_SIZE,
				"%s has size %zu, and byte %zu, beyond the %zu that this library knows, is not zero",
				name, size, i, known);
	memset(into, 0, known);
	memcpy(into, from, size < known ? size : known);
	memcpy(into, &known, sizeof(known));
	return SCANRT_OK;
}
