/* SPDX-License-Identifier: MIT
 *
 * Size classes.
 */
#include <math.h>
#include <string.h>

#include "classes.h"

/* No multiples of tiles: a full last tile would make one variant's name at that count and at no other. */
#define TILE_COUNT 1504
#define FEW_COUNT 10000
#define SMALL_COUNT 40000
#define WAVE_COUNT 160000
#define WAVE_BYTES 32768          /* a tile as large as the registers of a block hold */
#define SWELL_BYTES 57344         /* two tiles of shared memory, each as much as eight warps rake */
#define ONLY_SMALL_COUNT 65536    /* where there are no clusters, and the classes beside it are left out */
#define SMALL_SCANS 40            /* a graph of back-to-back scans */
#define L2_COMMON ((int64_t)4 << 20) /* where the device does not tell */
#define GRAPH_BYTES 400e6         /* about what one graph of streaming scans moves one way */
#define MEMORY_SHARE 6            /* neither arena takes more than this part of the free memory */
#define LAUNCH_SECONDS 0.02       /* of wall clock, for one launch on a slow device */
#define SAMPLES 5                 /* at first */
#define SLOW_SAMPLES 3            /* a modelled clock says the same every time, and three times show it */
#define FAST_PACE 1e8             /* a GPU is faster, an emulated one slower */

static const char *const names[TUNE_CLASS_MAX] = {
	"tile", "few", "small", "wave", "waves", "swell", "medium", "large" };

enum { TILE, FEW, SMALL, WAVE, WAVES, SWELL, MEDIUM, LARGE };

static int64_t l2_of(const struct srt_device *device)
{
	return device->l2_bytes > 0 ? device->l2_bytes : L2_COMMON;
}

static uint64_t power_above(uint64_t value)
{
	uint64_t power = 1;

	while (power < value)
		power *= 2;
	return power;
}

/* On a device with a small L2 the classes would meet.  The one of two tiles a multiprocessor is near the one before
 * everywhere, and left out where it is nearer still. */
static void separate(uint64_t counts[TUNE_CLASS_MAX])
{
	uint64_t last = counts[TILE];

	for (int i = 1; i < TUNE_CLASS_MAX; i++) {
		if (i == SWELL && counts[i] <= last)
			counts[i] = 0;
		if (counts[i] == 0)
			continue;
		if (i != SWELL && counts[i] <= 2 * last)
			counts[i] = 4 * last;
		last = counts[i];
	}
}

/* What a class is about: one tile; a few tiles, and many, which a cluster of blocks may scan; a small tile for every
 * multiprocessor, the largest, and two that shared memory holds; half the L2 for input and output; four times the L2.
 * 0: the device has no such class. */
static void natural_counts(uint64_t counts[TUNE_CLASS_MAX], const struct srt_device *device, size_t element)
{
	uint64_t l2 = (uint64_t)l2_of(device);
	uint64_t most = device->memory_free / MEMORY_SHARE / element;

	counts[TILE] = TILE_COUNT;
	counts[FEW] = device->has_clusters ? FEW_COUNT : 0;
	counts[SMALL] = device->has_clusters ? SMALL_COUNT : ONLY_SMALL_COUNT;
	counts[WAVE] = device->has_clusters ? WAVE_COUNT : 0;
	counts[MEDIUM] = l2 / 4 / element;
	counts[WAVES] = counts[SWELL] = 0;
	if (device->has_clusters && device->sm_count > 0) {
		counts[WAVES] = (uint64_t)device->sm_count * WAVE_BYTES / element / 16 * 15;
		counts[SWELL] = (uint64_t)device->sm_count * SWELL_BYTES / element / 16 * 15;
	}
	counts[LARGE] = power_above(4 * l2 / element);
	while (device->memory_free && counts[LARGE] > most)
		counts[LARGE] /= 2;
	separate(counts);
}

/* A slow device gets counts that it is done with in time, in the same order and spread over what is possible. */
static void slow_counts(uint64_t counts[TUNE_CLASS_MAX], double pace)
{
	double most = pace * LAUNCH_SECONDS < 4096 ? 4096 : pace * LAUNCH_SECONDS;
	int classes = 0, step = 0;

	if (pace <= 0 || pace >= FAST_PACE)
		return;
	counts[WAVES] = counts[SWELL] = 0; /* too near their neighbours then to be worth the time */
	for (int i = 0; i < TUNE_CLASS_MAX; i++)
		classes += counts[i] > 0;
	for (int i = 0; i < TUNE_CLASS_MAX; i++)
		if (counts[i] > 0)
			counts[i] = (uint64_t)(1024 * pow(most / 1024, step++ / (classes - 1.0)));
}

static int nearest(const uint64_t counts[TUNE_CLASS_MAX], uint64_t count)
{
	int best = 0;

	for (int i = 1; i < TUNE_CLASS_MAX; i++)
		if (counts[i] > 0 &&
			fabs(log((double)counts[i] / (double)count)) < fabs(log((double)counts[best] / (double)count)))
			best = i;
	return best;
}

static void plan_timing(
	struct tune_class *klass, int index, const struct srt_device *device, size_t element, bool is_slow)
{
	double bytes = (double)klass->timing.count * (double)element;
	double wanted = 4 * (double)l2_of(device) / (2 * bytes);

	klass->timing.klass = index;
	klass->timing.samples = is_slow ? SLOW_SAMPLES : SAMPLES;
	klass->is_streaming = index >= WAVES && !is_slow;
	klass->timing.pairs = klass->is_streaming ? (int)fmin(64, fmax(2, ceil(wanted))) : 1;
	klass->timing.scans = klass->is_streaming ? (int)fmin(40, fmax(4, GRAPH_BYTES / bytes)) : SMALL_SCANS;
	if (is_slow)
		klass->timing.scans = 1;
	if (klass->timing.scans < klass->timing.pairs)
		klass->timing.pairs = klass->timing.scans;
}

struct tune_timing tune_class_between(const struct tune_class *lower, uint64_t count, const struct srt_device *device,
	size_t element)
{
	const struct tune_class *upper = lower + 1;
	double middle = sqrt((double)lower->timing.count * (double)upper->timing.count);
	const struct tune_class *near = (double)count < middle ? lower : upper;
	bool is_slow = near->timing.scans == 1;
	struct tune_class klass = { .timing.count = count };

	plan_timing(&klass, near->timing.klass, device, element, is_slow);
	klass.timing.klass = TUNE_CLASS_MAX;
	return klass.timing;
}

void tune_class_recount(struct tune_class *klass, uint64_t count, const struct srt_device *device, size_t element)
{
	bool is_slow = klass->timing.scans == 1;

	klass->timing.count = count;
	plan_timing(klass, klass->timing.klass, device, element, is_slow);
}

void tune_class_set_ranges(struct tune_class *classes, size_t used)
{
	for (size_t i = 0; i < used; i++) {
		classes[i].low = i == 0 ? 1 : classes[i - 1].high + 1;
		classes[i].high = i + 1 == used ? INT64_MAX :
			(uint64_t)sqrt((double)classes[i].timing.count * (double)classes[i + 1].timing.count);
	}
}

size_t tune_classes(struct tune_class classes[TUNE_CLASS_MAX], const struct srt_device *device, size_t element,
	const uint64_t *counts, size_t count_count, double pace)
{
	uint64_t natural[TUNE_CLASS_MAX], chosen[TUNE_CLASS_MAX] = {0};
	bool is_slow = pace > 0 && pace < FAST_PACE;
	size_t used = 0;

	natural_counts(natural, device, element);
	for (size_t i = 0; i < count_count; i++)
		chosen[nearest(natural, counts[i])] = counts[i];
	slow_counts(natural, pace);
	memset(classes, 0, TUNE_CLASS_MAX * sizeof classes[0]);
	for (int i = 0; i < TUNE_CLASS_MAX; i++) {
		if (count_count ? chosen[i] == 0 : natural[i] == 0)
			continue;
		classes[used].name = names[i];
		classes[used].timing.count = chosen[i] ? chosen[i] : natural[i];
		plan_timing(&classes[used], i, device, element, is_slow);
		used++;
	}
	tune_class_set_ranges(classes, used);
	return used;
}

size_t tune_classes_bytes(const struct tune_class *classes, size_t count, size_t element)
{
	size_t most = 0;

	for (size_t i = 0; i < count; i++) {
		size_t bytes = (classes[i].timing.count * element + 255) / 256 * 256 * (size_t)classes[i].timing.pairs;

		most = bytes > most ? bytes : most;
	}
	return most;
}
