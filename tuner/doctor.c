/* SPDX-License-Identifier: MIT
 *
 * scantune doctor: what a program would find on this machine, piece by piece, and what is wrong with it.  Exit status 2
 * where a finding is a problem.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db.h"
#include "device.h"
#include "driver.h"
#include "image.h"
#include "json.h"
#include "monitor.h"
#include "record.h"
#include "rtc.h"
#include "status.h"
#include "tune.h"

struct doctor {
	const struct tune_options *options;
	struct srt_device devices[8];
	size_t device_count;
	int problems;
};

/* "ok" is as it should be, "note" may be so, "bad" costs speed or makes scans fail. */
static void report(struct doctor *doctor, const char *state, const char *subject, const char *text)
{
	struct srt_strbuf out = {0};

	doctor->problems += strcmp(state, "bad") == 0;
	if (!doctor->options->is_json) {
		printf("%-5s %-10s %s\n", state, subject, text);
		return;
	}
	tune_json_begin(&out);
	tune_json_text(&out, "state", state);
	tune_json_text(&out, "subject", subject);
	tune_json_text(&out, "text", text);
	tune_json_print(&out);
}

static void check_quiet(struct doctor *doctor, const struct srt_device *device)
{
	struct tune_monitor *monitor = tune_monitor_open(device->uuid);
	struct tune_conditions conditions;
	char text[256];

	if (device->is_emulated == 1)
		return;
	if (monitor == NULL) {
		report(doctor, "note", "nvml",
			"libnvidia-ml.so.1 cannot be used: clocks and other processes are unknown");
		return;
	}
	tune_monitor_read(&conditions, monitor);
	snprintf(text, sizeof text, "SM clock %d MHz of at most %d, %d other processes%s%s", conditions.clock_mhz,
		conditions.max_clock_mhz, conditions.processes, conditions.note[0] ? ", " : "", conditions.note);
	report(doctor, conditions.processes > 0 || conditions.note[0] ? "note" : "ok", "quiet", text);
	tune_monitor_close(monitor);
}

static void check_device(struct doctor *doctor)
{
	const struct srt_driver *driver;
	char text[256];
	int ordinal, count = 0;
	bool is_there = srt_driver_open(&driver, &ordinal, "0") == SCANRT_OK &&
			SRT_CALL(driver, cuDeviceGetCount, (&count)) == SCANRT_OK;

	if (!is_there) {
		bool is_missing = srt_error_last()->status == SCANRT_ERROR_NO_DRIVER;

		report(doctor, "bad", "driver", srt_error_last()->text);
		if (is_missing)
			report(doctor, "note", "driver",
				"without a GPU, SCANRT_DRIVER=emu means the emulated device of scanrt-emu(7)");
		return;
	}
	for (int i = 0; i < count && doctor->device_count < 8; i++) {
		struct srt_device *device = &doctor->devices[doctor->device_count];

		if (srt_device_query(device, driver, i) != SCANRT_OK)
			continue;
		doctor->device_count++;
		snprintf(text, sizeof text, "%d: %s, compute capability %d.%d, driver %d.%d%s", i, device->name,
			device->capability / 10, device->capability % 10, device->driver_version / 1000,
			device->driver_version % 1000 / 10, device->is_emulated == 1 ? " (modelled)" : "");
		report(doctor, device->capability >= 75 ? "ok" : "bad", "device", text);
		check_quiet(doctor, device);
	}
	if (doctor->device_count == 0)
		report(doctor, "bad", "device", "the driver has no device");
}

static void check_compiler(struct doctor *doctor)
{
	const struct srt_rtc *rtc;
	char text[160];

	if (srt_rtc_open(&rtc) != SCANRT_OK) {
		report(doctor, "note", "compiler", srt_error_last()->text);
		return;
	}
	snprintf(text, sizeof text, "%s", srt_rtc_toolchain(rtc));
	report(doctor, "ok", "compiler", text);
	for (size_t i = 0; i < doctor->device_count; i++)
		if (!srt_rtc_has_arch(rtc, doctor->devices[i].capability)) {
			snprintf(text, sizeof text, "does not know compute capability %d: kernels go through PTX",
				doctor->devices[i].capability);
			report(doctor, "note", "compiler", text);
		}
}

/* ---- Databases ---- */

struct tally {
	const char *fingerprint;
	size_t fresh;
	size_t stale;
	size_t others;
};

static int count_choice(void *user, const struct srt_db_choice *choice, const char *device)
{
	struct tally *tally = user;

	(void)device;
	if (strcmp(choice->fingerprint, tally->fingerprint) != 0)
		tally->others++;
	else if (strcmp(choice->source_hash, srt_source_hash()) != 0)
		tally->stale++;
	else
		tally->fresh++;
	return 0;
}

static void check_choices(struct doctor *doctor, struct srt_db *db, const char *name)
{
	for (size_t i = 0; i < doctor->device_count; i++) {
		struct srt_strbuf fingerprint = {0};
		struct tally tally = {0};
		char text[256];

		srt_device_fingerprint(&fingerprint, &doctor->devices[i]);
		tally.fingerprint = srt_strbuf_text(&fingerprint);
		if (srt_db_each_choice(db, NULL, count_choice, &tally) == SCANRT_OK) {
			snprintf(text, sizeof text,
				"device %zu: %zu choices, %zu of older kernels; %zu are of other devices", i,
				tally.fresh, tally.stale, tally.others);
			report(doctor, tally.fresh ? "ok" : "note", name, text);
		}
		srt_strbuf_free(&fingerprint);
	}
}

static void check_contents(struct doctor *doctor, struct srt_db *db, const char *name)
{
	struct srt_strbuf reason = {0};
	struct srt_db_health health;
	char text[1200];

	if (srt_db_check(db, &health) != SCANRT_OK) {
		report(doctor, "bad", name, srt_error_last()->text);
		return;
	}
	snprintf(text, sizeof text, "%s: format %d, %.2f MB, %" PRId64 " choices, %" PRId64 " images, all whole",
		srt_db_path(db), health.version, (double)health.bytes * 1e-6, health.choices, health.images);
	report(doctor, "ok", name, text);
	if (!srt_db_is_trusted(db, &reason)) {
		snprintf(text, sizeof text, "machine code of it is not used: %s", srt_strbuf_text(&reason));
		report(doctor, "bad", name, text);
	}
	srt_strbuf_free(&reason);
	check_choices(doctor, db, name);
}

static void check_file(struct doctor *doctor, const char *name, const char *path)
{
	struct srt_db *db = NULL;
	char text[1200];

	if (path[0] == '\0') {
		report(doctor, "note", name, "there is no HOME to have one in");
		return;
	}
	if (access(path, F_OK) != 0) {
		snprintf(text, sizeof text, "%s: there is none", path);
		report(doctor, "note", name, text);
		return;
	}
	if (srt_db_open(&db, path, SRT_DB_READ) == SCANRT_OK)
		check_contents(doctor, db, name);
	else
		report(doctor, "bad", name, srt_error_last()->text);
	srt_db_close(db);
}

/* What is set once and forgotten. */
static void check_environment(struct doctor *doctor)
{
	static const struct { const char *name, *what; } variables[] = {
		{ "SCANRT_VARIANT", "pins the variant of every plan, whatever was tuned" },
		{ "SCANRT_DRIVER", "decides on the device" },
		{ "SCANRT_LIBCUDA", "is the driver in place of libcuda.so.1" },
		{ "SCANRT_LIBNVRTC", "is the only compiler that is tried" },
		{ "SCANRT_COUNT_APPLIES", "makes kernels slower" },
	};
	char text[1200];

	for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
		const char *value = getenv(variables[i].name);

		if (value == NULL || (*value == '\0' && strcmp(variables[i].name, "SCANRT_LIBNVRTC") != 0))
			continue;
		snprintf(text, sizeof text, "%s=%s %s", variables[i].name, value, variables[i].what);
		report(doctor, "note", "variable", text);
	}
}

static void check_databases(struct doctor *doctor)
{
	static const struct {
		const char *name;
		void (*path)(struct srt_strbuf *out);
	} places[] = { { "user", srt_db_user_path }, { "system", srt_db_system_path },
		{ "vendor", srt_db_vendor_path } };
	const char *named = getenv("SCANRT_DB");
	struct srt_strbuf path = {0};

	if (!doctor->options->database && named && strcmp(named, "off") == 0) {
		report(doctor, "note", "database", "SCANRT_DB=off: programs look into none");
		return;
	}
	if (doctor->options->database || named) {
		if (tune_database_path(&path, doctor->options, true))
			check_file(doctor, "database", srt_strbuf_text(&path));
		srt_strbuf_free(&path);
		return;
	}
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		srt_strbuf_clear(&path);
		places[i].path(&path);
		check_file(doctor, places[i].name, srt_strbuf_text(&path));
	}
	srt_strbuf_free(&path);
}

int tune_command_doctor(const struct tune_options *options)
{
	struct doctor doctor = { .options = options };

	check_environment(&doctor);
	check_device(&doctor);
	check_compiler(&doctor);
	check_databases(&doctor);
	return doctor.problems ? TUNE_EXIT_BUDGET : TUNE_EXIT_COMPLETE;
}
