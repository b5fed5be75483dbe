/* SPDX-License-Identifier: MIT
 *
 * binary16 and bfloat16 on the host.
 */
#ifndef TUNE_HALF_H
#define TUNE_HALF_H

#include <stdint.h>

float tune_from_f16(uint16_t bits);
float tune_from_bf16(uint16_t bits);
/* Round to nearest, ties to even; overflow gives infinity. */
uint16_t tune_to_f16(float value);
uint16_t tune_to_bf16(float value);

#endif
