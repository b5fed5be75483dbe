/* SPDX-License-Identifier: MIT
 *
 * Frames over pipes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "wire.h"

#define FRAME_MARK 0x6e616373u
#define FRAME_LIMIT ((uint64_t)1 << 30) /* no message comes near; a longer one is noise */
#define READ_STEP 65536

struct header {
	uint32_t mark;
	uint32_t kind;
	uint64_t size;
	uint64_t checksum;
};

void tune_frame_free(struct tune_frame *frame)
{
	free(frame->bytes);
	memset(frame, 0, sizeof *frame);
}

void tune_reader_free(struct tune_reader *reader)
{
	free(reader->bytes);
	memset(reader, 0, sizeof *reader);
}

static bool write_all(int fd, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;

	while (size > 0) {
		ssize_t written = write(fd, from, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		from += written;
		size -= (size_t)written;
	}
	return true;
}

/* The checksum covers the kind too: a frame is then not taken for one of another kind. */
static uint64_t checksum(uint32_t kind, const void *head, size_t head_size, const void *tail, size_t tail_size)
{
	XXH3_state_t state;

	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, &kind, sizeof kind);
	XXH3_64bits_update(&state, head, head_size);
	if (tail_size)
		XXH3_64bits_update(&state, tail, tail_size);
	return XXH3_64bits_digest(&state);
}

bool tune_wire_send(int fd, uint32_t kind, const void *head, size_t head_size, const void *tail, size_t tail_size)
{
	struct header header = { FRAME_MARK, kind, head_size + tail_size, 0 };

	header.checksum = checksum(kind, head, head_size, tail, tail_size);
	return write_all(fd, &header, sizeof header) && write_all(fd, head, head_size) &&
	       write_all(fd, tail, tail_size);
}

static bool reserve(struct tune_reader *reader, size_t more)
{
	size_t wanted = reader->length + more;
	unsigned char *bytes;

	if (wanted <= reader->capacity)
		return true;
	wanted = wanted < 2 * reader->capacity ? 2 * reader->capacity : wanted;
	bytes = realloc(reader->bytes, wanted);
	if (bytes == NULL)
		return false;
	reader->bytes = bytes;
	reader->capacity = wanted;
	return true;
}

/* Takes the first frame out of what was read, if it is whole. */
static enum tune_wire_state take(struct tune_frame *frame, struct tune_reader *reader)
{
	struct header header;
	size_t whole;

	if (reader->length < sizeof header)
		return TUNE_WIRE_MORE;
	memcpy(&header, reader->bytes, sizeof header);
	if (header.mark != FRAME_MARK || header.size > FRAME_LIMIT)
		return TUNE_WIRE_DAMAGED;
	whole = sizeof header + header.size;
	if (reader->length < whole)
		return TUNE_WIRE_MORE;
	if (checksum(header.kind, reader->bytes + sizeof header, header.size, NULL, 0) != header.checksum)
		return TUNE_WIRE_DAMAGED;
	frame->bytes = malloc(header.size + 1);
	if (frame->bytes == NULL)
		return TUNE_WIRE_DAMAGED;
	frame->kind = header.kind;
	frame->size = header.size;
	memcpy(frame->bytes, reader->bytes + sizeof header, header.size);
	memmove(reader->bytes, reader->bytes + whole, reader->length - whole);
	reader->length -= whole;
	return TUNE_WIRE_FRAME;
}

enum tune_wire_state tune_wire_receive(struct tune_frame *frame, struct tune_reader *reader, int fd)
{
	enum tune_wire_state state = take(frame, reader);
	ssize_t got;

	if (state != TUNE_WIRE_MORE)
		return state;
	if (!reserve(reader, READ_STEP))
		return TUNE_WIRE_DAMAGED;
	got = read(fd, reader->bytes + reader->length, READ_STEP);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? TUNE_WIRE_MORE : TUNE_WIRE_CLOSED;
	if (got == 0)
		return TUNE_WIRE_CLOSED;
	reader->length += (size_t)got;
	return take(frame, reader);
}

enum tune_wire_state tune_wire_wait(struct tune_frame *frame, struct tune_reader *reader, int fd)
{
	enum tune_wire_state state;

	do
		state = tune_wire_receive(frame, reader, fd);
	while (state == TUNE_WIRE_MORE);
	return state;
}
