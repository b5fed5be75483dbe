/* SPDX-License-Identifier: MIT
 *
 * binary16 and bfloat16 on the host: neither is a C11 type.
 */
#include <math.h>
#include <string.h>

#include "half.h"

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

float tune_from_bf16(uint16_t bits)
{
	return float_of((uint32_t)bits << 16);
}

uint16_t tune_to_bf16(float value)
{
	uint32_t bits = bits_of(value);

	if (isnan(value))
		return 0x7fff;
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float tune_from_f16(uint16_t bits)
{
	uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
	uint32_t exponent = bits >> 10 & 31;
	uint32_t fraction = bits & 0x3ff;

	if (exponent == 0)
		return float_of(sign | bits_of((float)fraction * 0x1p-24f));
	if (exponent == 31)
		return float_of(sign | 0x7f800000 | fraction << 13);
	return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t tune_to_f16(float value)
{
	uint32_t bits = bits_of(value);
	uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
	float size = fabsf(value);

	if (isnan(value))
		return 0x7fff;
	if (size >= 65520.0f) /* half way to the number after the largest, and ties go to the even one */
		return sign | 0x7c00;
	if (size < 0x1p-14f) /* subnormal: the float addition rounds to the last place that there is */
		return (uint16_t)(sign | (bits_of(size + 0.5f) & 0x7ff));
	bits = bits_of(size);
	return (uint16_t)(sign | (((bits + 0xfff + (bits >> 13 & 1)) >> 13) - (112u << 10)));
}
