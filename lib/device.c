/* SPDX-License-Identifier: MIT
 *
 * Facts about devices.  What the driver does not tell is left unknown, as an emulated or a future device may lack some
 * attribute that we only use to tell devices apart.
 */
#include "device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "status.h"

/* The attributes that are ints of struct srt_device as they come. */
static const struct attribute {
	CUdevice_attribute attribute;
	size_t offset;
} attributes[] = {
	{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, offsetof(struct srt_device, sm_count) },
	{ CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, offsetof(struct srt_device, memory_bus_bits) },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, offsetof(struct srt_device, shared_per_sm) },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, offsetof(struct srt_device, shared_per_block) },
	{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, offsetof(struct srt_device, registers_per_sm) },
	{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, offsetof(struct srt_device, registers_per_block) },
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, offsetof(struct srt_device, threads_per_sm) },
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, offsetof(struct srt_device, threads_per_block) },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, offsetof(struct srt_device, blocks_per_sm) },
	{ CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, offsetof(struct srt_device, has_clusters) },
	{ CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
		offsetof(struct srt_device, reserved_shared_per_block) },
};

/* `otherwise` for what this driver or device does not tell: an unknown fact is left out of the fingerprint, and is no
 * reason to refuse the device. */
static int ask(const struct srt_driver *driver, CUdevice handle, CUdevice_attribute attribute, int otherwise)
{
	int value;

	if (driver->cuDeviceGetAttribute(&value, attribute, handle) != CUDA_SUCCESS || value < 0)
		return otherwise;
	return value;
}

/* The one fact that everything rests on: without it there is no device to speak of. */
static int ask_capability(struct srt_device *device, const struct srt_driver *driver, CUdevice handle)
{
	int major = 0;
	int minor = 0;
	int status = SRT_CALL(driver, cuDeviceGetAttribute, (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
		handle));

	if (!status)
		status = SRT_CALL(driver, cuDeviceGetAttribute,
			(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle));
	device->capability = 10 * major + minor;
	return status;
}

static void ask_all(struct srt_device *device, const struct srt_driver *driver, CUdevice handle)
{
	size_t i;
	int value;

	for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		value = ask(driver, handle, attributes[i].attribute, 0);
		memcpy((char *)device + attributes[i].offset, &value, sizeof(value));
	}
	device->l2_bytes = ask(driver, handle, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 0);
	device->has_ecc = ask(driver, handle, CU_DEVICE_ATTRIBUTE_ECC_ENABLED, -1);
	/* A device without opt-in answers 0 to that attribute and has the plain limit. */
	if (device->shared_per_block == 0)
		device->shared_per_block = ask(driver, handle, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0);
}

/* For people and for logs.  These differ between two boards of one kind, and so must not be in a key. */
static void ask_identity(struct srt_device *device, const struct srt_driver *driver, CUdevice handle)
{
	CUuuid uuid;
	size_t bytes;
	size_t i;

	if (driver->cuDeviceGetUuid(&uuid, handle) == CUDA_SUCCESS)
		for (i = 0; i < sizeof(uuid.bytes); i++)
			snprintf(device->uuid + 2 * i, 3, "%02x", (unsigned char)uuid.bytes[i]);
	if (driver->cuDeviceGetPCIBusId(device->pci_bus_id, sizeof(device->pci_bus_id), handle) != CUDA_SUCCESS)
		device->pci_bus_id[0] = '\0';
	if (driver->cuDeviceTotalMem(&bytes, handle) == CUDA_SUCCESS)
		device->memory_bytes = bytes;
}

/* The driver tells a MIG profile and an emulated device only in the name: "NVIDIA H200 MIG 1g.18gb". */
static void read_name(struct srt_device *device)
{
	const char *mig = strstr(device->name, " MIG ");

	device->is_emulated = strstr(device->name, "mulated") != NULL;
	if (mig)
		snprintf(device->mig_profile, sizeof(device->mig_profile), "%s", mig + strlen(" MIG "));
}

/* Asked of the count rather than of cuDeviceGet, whose error does not say how many devices there are. */
static int check_ordinal(const struct srt_driver *driver, int ordinal)
{
	int count = 0;
	int status = SRT_CALL(driver, cuDeviceGetCount, (&count));

	if (!status && (ordinal < 0 || ordinal >= count))
		return srt_fail(SCANRT_ERROR_NO_DEVICE, "there is no device %d: the driver shows %d", ordinal, count);
	return status;
}

void srt_device_query_clocks(struct srt_device *device, const struct srt_driver *driver)
{
	CUdevice handle = 0;

	if (driver->cuDeviceGet(&handle, device->ordinal) != CUDA_SUCCESS)
		return;
	device->memory_clock_khz = ask(driver, handle, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 0);
	device->sm_clock_khz = ask(driver, handle, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0);
}

int srt_device_query_quick(struct srt_device *device, const struct srt_driver *driver, int ordinal)
{
	CUdevice handle = 0;
	int status = check_ordinal(driver, ordinal);

	memset(device, 0, sizeof(*device));
	if (!status)
		status = SRT_CALL(driver, cuDeviceGet, (&handle, ordinal));
	if (!status)
		status = SRT_CALL(driver, cuDeviceGetName, (device->name, sizeof(device->name), handle));
	if (!status)
		status = ask_capability(device, driver, handle);
	if (status)
		return status;
	device->ordinal = ordinal;
	device->driver_version = driver->version;
	ask_all(device, driver, handle);
	ask_identity(device, driver, handle);
	read_name(device);
	return SCANRT_OK;
}

int srt_device_query(struct srt_device *device, const struct srt_driver *driver, int ordinal)
{
	int status = srt_device_query_quick(device, driver, ordinal);

	if (!status)
		srt_device_query_clocks(device, driver);
	return status;
}

/* A fact that is left out on one side and known on the other makes two fingerprints, which is safe: a miss,
 * never a lie. */
static void append_fact(struct srt_strbuf *out, const char *name, int64_t value)
{
	if (value > 0)
		srt_strbuf_printf(out, " %s=%" PRId64, name, value);
}

/* The emulated device's times are a model: nothing measured there may ever serve a real GPU. */
void srt_device_family(struct srt_strbuf *out, const struct srt_device *device)
{
	srt_strbuf_printf(out, "%scc%d sm%d", device->is_emulated ? "emulated " : "", device->capability,
		device->sm_count);
	append_fact(out, "l2", device->l2_bytes);
	append_fact(out, "bus", device->memory_bus_bits);
}

/* Whatever may change which variant is fastest is in, so that two boards share rows only if they are alike; the driver
 * is out, as a newer one would throw away all measurements for nothing. */
void srt_device_fingerprint(struct srt_strbuf *out, const struct srt_device *device)
{
	srt_device_family(out, device);
	append_fact(out, "memclock", device->memory_clock_khz);
	append_fact(out, "smclock", device->sm_clock_khz);
	append_fact(out, "shared", device->shared_per_sm);
	append_fact(out, "optin", device->shared_per_block);
	append_fact(out, "registers", device->registers_per_sm);
	if (device->has_ecc >= 0)
		srt_strbuf_printf(out, " ecc=%d", device->has_ecc);
	if (device->mig_profile[0])
		srt_strbuf_printf(out, " mig=%s", device->mig_profile);
}

/* The clocks are borrowed from the fingerprint itself: it fits where the rest of it is what the device's would be. */
bool srt_device_fits(const struct srt_device *device, const char *fingerprint)
{
	struct srt_device clocked = *device;
	struct srt_strbuf text = { 0 };
	const char *memory = strstr(fingerprint, " memclock=");
	const char *sm = strstr(fingerprint, " smclock=");
	bool is_equal;

	clocked.memory_clock_khz = memory ? atoi(memory + strlen(" memclock=")) : 0;
	clocked.sm_clock_khz = sm ? atoi(sm + strlen(" smclock=")) : 0;
	srt_device_fingerprint(&text, &clocked);
	is_equal = !text.failed && strcmp(srt_strbuf_text(&text), fingerprint) == 0;
	srt_strbuf_free(&text);
	return is_equal;
}
