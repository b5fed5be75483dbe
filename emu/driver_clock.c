/* SPDX-License-Identifier: MIT
 *
 * Modelled time.  There is one host clock, which launch calls and waits move on; each stream knows when its work is
 * done; kernels of one device follow one another.  A kernel lasts as long as the slowest of its memory traffic, its
 * instructions and its chain of dependent ones, which the counters of the launch tell: deterministic, and no
 * measurement.
 */
#include "driver.h"

#define SECTOR_BYTES 32.0
#define POLLS_PER_SECTOR 4.0      /* lanes that read one 64-bit word each, side by side */
#define ISSUE_PER_CLOCK 4.0       /* warp instructions of one SM */
#define CLOCKS_BETWEEN 5.0        /* one warp's dependent instructions */
#define BUS_BYTES_PER_NS 25.0     /* to and from the host */
#define BUS_LATENCY_NS 8000.0

static double host_now;

static double latest(double a, double b)
{
	return a > b ? a : b;
}

/* The legacy stream and blocking ones wait for each other. */
static double begin_of(const struct CUstream_st *stream)
{
	double begin = latest(stream->ready, host_now);

	if (!stream->is_legacy && (stream->flags & CU_STREAM_NON_BLOCKING) == 0)
		begin = latest(begin, stream->context->legacy->ready);
	for (const struct CUstream_st *s = stream->context->streams; stream->is_legacy && s != NULL; s = s->next) {
		if ((s->flags & CU_STREAM_NON_BLOCKING) == 0)
			begin = latest(begin, s->ready);
	}
	return begin;
}

void emu_clock_enqueue(const struct CUstream_st *stream)
{
	host_now += stream->context->device->model->enqueue_ns;
}

static void occupy(struct CUstream_st *stream, double duration)
{
	struct emu_device *device = stream->context->device;

	stream->ready = latest(begin_of(stream), device->busy_until) + duration;
	device->busy_until = stream->ready;
}

/* What fits the cache is moved at its rate, the rest at that of the memory: longer arrays never take less time. */
static double transfer_ns(const struct emu_model *model, double bytes)
{
	double cached = bytes < model->l2_bytes ? bytes : model->l2_bytes;

	return cached / model->l2_bytes_per_ns + (bytes - cached) / model->dram_bytes_per_ns;
}

static double traffic_ns(const struct emu_device *device, const struct emu_counters *counters)
{
	double sectors = (double)counters->global_load_sectors + (double)counters->global_store_sectors;
	double polled = (double)counters->polls / POLLS_PER_SECTOR;

	/* Polls of other blocks' words hit the cache; they cost latency, not bandwidth. */
	return transfer_ns(device->model, (polled < sectors ? sectors - polled : 0) * SECTOR_BYTES);
}

static double issue_ns(const struct emu_device *device, const struct emu_counters *counters)
{
	double clocks_per_ns = device->model->sm_clock_khz * 1e-6;
	double sms = counters->blocks < (uint64_t)device->sm_count ? (double)counters->blocks : device->sm_count;
	double shared = ((double)counters->shared_load_words + (double)counters->shared_store_words) / 32 +
		(double)counters->shared_conflicts;
	double clocks = latest((double)counters->warp_instructions / ISSUE_PER_CLOCK, shared);

	return clocks / (sms < 1 ? 1 : sms) / clocks_per_ns;
}

static double chain_ns(const struct emu_device *device, const struct emu_kernel_launch *launch,
	const struct emu_counters *counters)
{
	double warps_per_block = (launch->block[0] * launch->block[1] * launch->block[2] + 31) / 32;
	double blocks = counters->blocks < 1 ? 1 : (double)counters->blocks;
	double resident = counters->resident_blocks < 1 ? 1 : (double)counters->resident_blocks;
	double waves = blocks / resident < 1 ? 1 : blocks / resident;
	double clocks = (double)counters->warp_instructions / (blocks * warps_per_block) * CLOCKS_BETWEEN;

	return waves * clocks / (device->model->sm_clock_khz * 1e-6);
}

double emu_clock_kernel(struct CUstream_st *stream, const struct emu_kernel_launch *launch,
	const struct emu_counters *counters, bool is_in_graph)
{
	const struct emu_device *device = stream->context->device;
	double work = latest(traffic_ns(device, counters), issue_ns(device, counters));
	double duration;

	work = latest(work, chain_ns(device, launch, counters));
	duration = device->model->launch_ns + device->model->memory_latency_ns + work;
	if (!is_in_graph)
		duration += device->model->launch_ns; /* a launch of its own goes through the queue as well */
	occupy(stream, duration);
	return duration;
}

void emu_clock_bytes(struct CUstream_st *stream, uint64_t bytes, bool crosses_bus)
{
	const struct emu_model *model = stream->context->device->model;

	if (crosses_bus)
		occupy(stream, BUS_LATENCY_NS + (double)bytes / BUS_BYTES_PER_NS);
	else
		occupy(stream, model->launch_ns + model->memory_latency_ns + transfer_ns(model, (double)bytes));
}

double emu_clock_stamp(struct CUstream_st *stream)
{
	stream->ready = begin_of(stream);
	return stream->ready;
}

void emu_clock_wait(double time)
{
	host_now = latest(host_now, time);
}

void emu_clock_synchronize(const struct CUstream_st *stream)
{
	emu_clock_wait(stream->ready);
}
