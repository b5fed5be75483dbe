/* SPDX-License-Identifier: MIT
 *
 * The JIT linker.  Its "cubin" is the PTX in an envelope that names the architecture: it can be kept, hashed and
 * loaded later, and like machine code it is refused by devices of another architecture.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUlinkState_st {
	struct CUctx_st *context;
	char *text;      /* the one PTX that was added */
	size_t bytes;
	char *image;     /* what complete returned, until destroyed */
	unsigned int option_count;
	CUjit_option *options; /* the caller's: the log's sizes are reported there to the end */
	void **values;
	struct emu_jit_log log;
};

struct emu_jit_log emu_jit_log(unsigned int count, const CUjit_option *options, void *const *values)
{
	struct emu_jit_log log = { 0 };

	for (unsigned int i = 0; options != NULL && values != NULL && i < count; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			log.error_text = values[i];
		else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			log.error_size = (size_t)(uintptr_t)values[i];
		else if (options[i] == CU_JIT_INFO_LOG_BUFFER)
			log.info_text = values[i];
		else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
			log.info_size = (size_t)(uintptr_t)values[i];
	}
	return log;
}

/* Writes the logs; the size options then tell how much was written, as on a real device. */
void emu_jit_log_finish(unsigned int count, const CUjit_option *options, void **values, const struct emu_jit_log *log,
	const char *error)
{
	size_t written = 0;

	if (log->error_text != NULL && log->error_size > 0) {
		snprintf(log->error_text, log->error_size, "%s%s", error, *error == '\0' ? "" : "\n");
		written = strlen(log->error_text);
	}
	if (log->info_text != NULL && log->info_size > 0)
		*log->info_text = '\0';
	for (unsigned int i = 0; options != NULL && values != NULL && i < count; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			values[i] = (void *)(uintptr_t)written;
		else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
			values[i] = NULL;
	}
}

CUresult cuLinkCreate_v2(unsigned int count, CUjit_option *options, void **values, CUlinkState *state)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);
	struct CUlinkState_st *made = NULL;

	if (result == CUDA_SUCCESS && state == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		made = calloc(1, sizeof(*made));
		if (made == NULL || !emu_handle_add(EMU_HANDLE_LINK, made))
			result = CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (result != CUDA_SUCCESS) {
		free(made);
		return emu_leave(result);
	}
	made->context = emu_context_current();
	made->option_count = count;
	made->options = options;
	made->values = values;
	made->log = emu_jit_log(count, options, values);
	*state = made;
	return emu_leave(result);
}

/* Parsed now, so that an error is told by the call that brought the text; parsed again when it is loaded. */
static CUresult add(struct CUlinkState_st *state, CUjitInputType type, const void *data, size_t bytes,
	struct emu_error *error)
{
	struct emu_module *module = NULL;
	CUresult result;

	if (type != CU_JIT_INPUT_PTX) {
		snprintf(error->text, sizeof(error->text), "the emulated device links PTX only");
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	if (state->text != NULL) {
		snprintf(error->text, sizeof(error->text), "the emulated device links one PTX at a time");
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	bytes = strnlen(data, bytes);
	result = emu_module_parse(&module, data, bytes, error);
	if (result != CUDA_SUCCESS)
		return result;
	emu_module_destroy(module);
	state->text = malloc(bytes + 1);
	if (state->text == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(state->text, data, bytes);
	state->text[bytes] = '\0';
	state->bytes = bytes;
	return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
	unsigned int count, CUjit_option *options, void **values)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);
	struct emu_error error = { 0 };

	(void)name;
	(void)count;
	(void)options;
	(void)values;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_LINK, state))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS && (data == NULL || bytes == 0))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		result = add(state, type, data, bytes, &error);
		emu_jit_log_finish(state->option_count, state->options, state->values, &state->log, error.text);
	}
	return emu_leave(result);
}

/* Nothing in the image depends on time or place: equal PTX gives equal images, as the database's hashes want it. */
static CUresult complete(void **image, size_t *bytes, struct CUlinkState_st *state)
{
	const struct emu_model *model = state->context->device->model;
	size_t room = sizeof(EMU_IMAGE_MAGIC) + 64 + state->bytes;
	int header;

	if (state->text == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	free(state->image);
	state->image = malloc(room);
	if (state->image == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	header = snprintf(state->image, room, EMU_IMAGE_MAGIC "arch %d.%d\nbytes %zu\n", model->capability_major,
		model->capability_minor, state->bytes);
	memcpy(state->image + header, state->text, state->bytes + 1);
	*image = state->image;
	*bytes = (size_t)header + state->bytes + 1;
	return CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);
	size_t ignored;

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_LINK, state))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS && image == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = complete(image, bytes == NULL ? &ignored : bytes, state);
	return emu_leave(result);
}

CUresult cuLinkDestroy(CUlinkState state)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_LINK, state))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS) {
		emu_handle_remove(state);
		free(state->text);
		free(state->image);
		free(state);
	}
	return emu_leave(result);
}
