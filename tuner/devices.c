/* SPDX-License-Identifier: MIT
 *
 * scantune devices: what can be tuned.
 */
#include <stdio.h>

#include "device.h"
#include "driver.h"
#include "json.h"
#include "status.h"
#include "tune.h"

static void print_device(const struct tune_options *options, const char *name, const struct srt_device *device)
{
	struct srt_strbuf out = {0}, fingerprint = {0};

	if (!options->is_json) {
		printf("%-6s %-40s %d.%d  %3d SMs  L2 %5.1f MB  memory %6.1f GB%s\n", name, device->name,
			device->capability / 10, device->capability % 10, device->sm_count,
			(double)device->l2_bytes * 1e-6, (double)device->memory_bytes * 1e-9,
			device->is_emulated ? "  (modelled)" : "");
		return;
	}
	srt_device_fingerprint(&fingerprint, device);
	tune_json_begin(&out);
	tune_json_text(&out, "device", name);
	tune_json_text(&out, "name", device->name);
	tune_json_integer(&out, "capability", device->capability);
	tune_json_integer(&out, "sm_count", device->sm_count);
	tune_json_integer(&out, "l2_bytes", (long long)device->l2_bytes);
	tune_json_integer(&out, "memory_bytes", (long long)device->memory_bytes);
	tune_json_integer(&out, "driver", device->driver_version);
	tune_json_text(&out, "fingerprint", srt_strbuf_text(&fingerprint));
	tune_json_boolean(&out, "is_modelled", device->is_emulated == 1);
	tune_json_print(&out);
	srt_strbuf_free(&fingerprint);
}

/* All devices of one driver; returns how many, and says whether the driver is an emulator. */
static int print_driver(const struct tune_options *options, const char *first, const char *prefix, bool *is_emulated)
{
	const struct srt_driver *driver;
	struct srt_device device;
	int ordinal, count = 0;
	char name[24];

	if (srt_driver_open(&driver, &ordinal, first) != SCANRT_OK ||
	    SRT_CALL(driver, cuDeviceGetCount, (&count)) != SCANRT_OK)
		return 0;
	for (int i = 0; i < count; i++) {
		if (srt_device_query(&device, driver, i) != SCANRT_OK)
			continue;
		snprintf(name, sizeof name, "%s%d", prefix, i);
		print_device(options, name, &device);
		*is_emulated = device.is_emulated == 1;
	}
	return count;
}

int tune_command_devices(const struct tune_options *options)
{
	bool is_emulated = false;
	char reason[1024]; /* as long as the text of an error */
	int count = print_driver(options, "0", "", &is_emulated);
	bool is_misled = count == 0 && srt_error_last()->status == SCANRT_ERROR_ENVIRONMENT;

	snprintf(reason, sizeof reason, "%s", srt_error_last()->text);
	/* SCANRT_DRIVER or SCANRT_LIBCUDA may have made the emulator the driver already; a misspelt one is to be told.
	 */
	if (!is_emulated && !is_misled)
		count += print_driver(options, "emu", "emu:", &is_emulated);
	if (count > 0)
		return TUNE_EXIT_COMPLETE;
	fprintf(stderr, "scantune: no device: %s\n", reason);
	return TUNE_EXIT_DEVICE;
}
