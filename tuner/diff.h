/* SPDX-License-Identifier: MIT
 *
 * scantune diff: the choices of session->import and of session->against, compared on the device.
 */
#ifndef TUNE_DIFF_H
#define TUNE_DIFF_H

#include "search.h"

/* One problem; false where a class has another winner that is not as fast within 1 %, or one of them fails. */
bool tune_search_diff(struct tune_search *search);
/* The line below all. */
void tune_diff_close(bool is_json);

#endif
