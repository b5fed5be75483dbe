/* SPDX-License-Identifier: MIT
 *
 * Size classes: ranges of counts with one winner each, and how each is timed.
 */
#ifndef TUNE_CLASSES_H
#define TUNE_CLASSES_H

#include "messages.h"
#include "options.h"

struct tune_class {
	const char *name;
	uint64_t low;            /* serves counts from low to high, unless a block variant wins and ends sooner */
	uint64_t high;
	struct tune_timing timing;
	bool is_crossover_measured; /* high is where the next class's winner overtakes */
	bool is_streaming;       /* its working set does not fit the L2: the copy's time is a floor */
};

/* Fills at most TUNE_CLASS_MAX classes, smallest first, and returns how many.  counts: those asked for, or none.
 * pace: elements a second that this device gets through, which bounds the counts on an emulated one; 0: no bound. */
size_t tune_classes(struct tune_class classes[TUNE_CLASS_MAX], const struct srt_device *device, size_t element,
	const uint64_t *counts, size_t count_count, double pace);

/* Another count for a class, and the ranges anew where the counts or the set of classes have changed. */
void tune_class_recount(struct tune_class *klass, uint64_t count, const struct srt_device *device, size_t element);
void tune_class_set_ranges(struct tune_class *classes, size_t used);

/* How a count between two neighbouring classes is timed: as the nearer one is. */
struct tune_timing tune_class_between(const struct tune_class *lower, uint64_t count, const struct srt_device *device,
	size_t element);

/* The bytes of input that the classes need, with all their pairs of buffers. */
size_t tune_classes_bytes(const struct tune_class *classes, size_t count, size_t element);

#endif
