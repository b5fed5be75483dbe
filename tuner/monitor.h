/* SPDX-License-Identifier: MIT
 *
 * How quiet a GPU is, as NVML tells: its clock, what holds it back, who else is on it.  NVML is loaded where it is
 * there; without it nothing is known, and tuning goes on all the same.  It makes no CUDA context, so the parent asks.
 */
#ifndef TUNE_MONITOR_H
#define TUNE_MONITOR_H

#include <stdbool.h>

struct tune_monitor;

struct tune_conditions {
	int clock_mhz;     /* of the SMs; 0: unknown */
	int max_clock_mhz;
	int processes;     /* with a context on the device, ours among them */
	bool is_slowed;    /* by heat, or by the board's own protection; a power cap is usual under load */
	char note[96];     /* what holds the clock back: "heat, power cap"; "" */
};

/* The GPU with this UUID (32 hexadecimal digits); NULL where NVML, or the device in it, is not to be had.
 * SCANTUNE_LIBNVML names another library in its place, for tests. */
struct tune_monitor *tune_monitor_open(const char *uuid);
void tune_monitor_close(struct tune_monitor *monitor); /* NULL is fine */

void tune_monitor_read(struct tune_conditions *conditions, const struct tune_monitor *monitor);
int tune_monitor_clock(const struct tune_monitor *monitor); /* MHz; 0: unknown, also for NULL */

#endif
