/* SPDX-License-Identifier: MIT
 *
 * Notes in trial rows that a later run reads.
 */
#ifndef TUNE_RESUME_H
#define TUNE_RESUME_H

#include "messages.h"
#include "options.h"

void tune_resume_alone_note(char note[TUNE_NOTE_SIZE], int attempt);
void tune_resume_chosen_note(char note[TUNE_NOTE_SIZE], enum tune_effort effort, const char *reason);

#endif
