/* SPDX-License-Identifier: MIT
 *
 * A first scan by machine code that has just been compiled, before anybody keeps it: compilers have been wrong.
 */
#ifndef SRT_SELF_TEST_H
#define SRT_SELF_TEST_H

#include "kernel.h"

struct srt_driver;

/* Whether srt_self_test() knows what the results have to be: sums, products, minima, maxima and bitwise operators, on
 * integers of one type or on floats, without an initial value.  What is the caller's it cannot know. */
bool srt_self_test_knows(const struct srt_problem *problem);

/* Two tiles and a part of one, where the variant takes so many, of values that no order of combination rounds, between
 * guard zones.  SCANRT_ERROR_COMPILE: the results are wrong, and the message tells the first; or the status of a driver
 * call that failed.  The context is current. */
int srt_self_test(const struct srt_kernel *kernel, const struct srt_driver *driver);

#endif
