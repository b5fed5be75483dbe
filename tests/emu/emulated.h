/* SPDX-License-Identifier: MIT
 *
 * For tests that look at our kernels through the emulated device: what tests/device.h has, on that device and no other,
 * and the device's own functions.
 */
#ifndef TESTS_EMU_EMULATED_H
#define TESTS_EMU_EMULATED_H

#include "../../emu/counters.h"
#include "../device.h"

void emulated_open(struct test_device *device); /* sets the environment that selects it; a failure if it is not there */
void emulated_schedule(uint64_t seed, unsigned resident); /* of the launches that follow; 0: none in particular, all */
void emulated_last_launch(struct emu_launch_record *record);
void emulated_totals(struct emu_counters *counters, uint64_t *launches); /* of all launches so far */

#endif
