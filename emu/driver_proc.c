/* SPDX-License-Identifier: MIT
 *
 * cuGetProcAddress: from a bare name and the version of the ABI that the caller was compiled for to a function.
 */
#include "driver.h"

#include <string.h>

struct row {
	const char *name;
	int version;              /* that brought this ABI */
	void (*function)(void);
	void (*per_thread)(void); /* NULL stands for the calling thread's stream; NULL: no difference */
};

#define FUNCTION(f) ((void (*)(void))(f))
#define ROW(name, version) { #name, version, FUNCTION(name), NULL },
#define ROW_AS(name, version, function) { #name, version, FUNCTION(function), NULL },
#define ROW_STREAM(name, version) { #name, version, FUNCTION(name), FUNCTION(name##_ptsz) },
#define ROW_STREAM_AS(name, version, function, per_thread) \
	{ #name, version, FUNCTION(function), FUNCTION(per_thread) },

/* Rows of one name stand together, oldest first. */
static const struct row rows[] = {
#include "driver_proc.def"
};

/* The newest ABI of the name that is not newer than asked for; is_known tells whether the name exists at all. */
static const struct row *find(const char *name, int version, bool *is_known)
{
	const struct row *found = NULL;

	*is_known = false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		*is_known = true;
		if (rows[i].version <= version)
			found = &rows[i];
	}
	return found;
}

bool emu_proc_exists(const char *name)
{
	bool is_known;

	find(name, 0, &is_known);
	return is_known;
}

static CUresult look_up(void **function, const char *name, int version, cuuint64_t flags, bool *is_known)
{
	bool wants_per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
	const struct row *row;
	void (*found)(void);

	if (name == NULL || function == NULL || (flags & ~(cuuint64_t)3) != 0 || flags == 3)
		return CUDA_ERROR_INVALID_VALUE;
	if (version > (int)emu_environment_number("SCANRT_EMU_DRIVER_VERSION", EMU_DRIVER_VERSION))
		return CUDA_ERROR_INVALID_VALUE;
	*function = NULL;
	row = find(name, version, is_known);
	if (row == NULL)
		return CUDA_SUCCESS;
	found = wants_per_thread && row->per_thread != NULL ? row->per_thread : row->function;
	memcpy(function, &found, sizeof(found)); /* ISO C has no conversion from function to object pointers */
	return CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
	CUdriverProcAddressQueryResult *status)
{
	bool is_known = false;
	CUresult result = look_up(function, name, version, flags, &is_known);

	if (status == NULL || result != CUDA_SUCCESS)
		return result;
	*status = *function != NULL ? CU_GET_PROC_ADDRESS_SUCCESS :
		is_known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return result;
}

/* The first ABI has no status to fill and says CUDA_ERROR_NOT_FOUND instead. */
CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags)
{
	bool is_known;
	CUresult result = look_up(function, name, version, flags, &is_known);

	return result == CUDA_SUCCESS && *function == NULL ? CUDA_ERROR_NOT_FOUND : result;
}
