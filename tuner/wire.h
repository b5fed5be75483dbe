/* SPDX-License-Identifier: MIT
 *
 * What the tuner's processes say to each other: frames of a kind, a length and a checksum, over pipes.  Both ends are
 * the same binary, so payloads are plain structures, followed by bytes where a message carries an image.
 */
#ifndef TUNE_WIRE_H
#define TUNE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tune_frame {
	uint32_t kind;
	unsigned char *bytes; /* malloc'ed, freed by tune_frame_free */
	size_t size;
};

void tune_frame_free(struct tune_frame *frame);

/* Sends the head and, after it, the tail in one frame.  False where the other end is gone (errno says how). */
bool tune_wire_send(int fd, uint32_t kind, const void *head, size_t head_size, const void *tail, size_t tail_size);

/* Collects what a pipe delivers until a frame is whole.  Zero-initialised is empty. */
struct tune_reader {
	unsigned char *bytes;
	size_t length;
	size_t capacity;
};

enum tune_wire_state {
	TUNE_WIRE_FRAME,  /* a frame was taken */
	TUNE_WIRE_MORE,   /* none is whole yet */
	TUNE_WIRE_CLOSED, /* the other end is gone */
	TUNE_WIRE_DAMAGED /* a wrong mark, length or checksum: the stream cannot be trusted any more */
};

/* Reads once from fd, which may be non-blocking, and takes a frame where one is whole. */
enum tune_wire_state tune_wire_receive(struct tune_frame *frame, struct tune_reader *reader, int fd);
/* The same, blocking until there is a frame or none can come. */
enum tune_wire_state tune_wire_wait(struct tune_frame *frame, struct tune_reader *reader, int fd);
void tune_reader_free(struct tune_reader *reader);

#endif
