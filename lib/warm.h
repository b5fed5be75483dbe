/* SPDX-License-Identifier: MIT
 *
 * What a process pays for once, paid where nobody waits for it yet.
 */
#ifndef SRT_WARM_H
#define SRT_WARM_H

/* Maps the library's own pages, which are in memory on behalf of whoever used it before, in one call.  A process that
 * touches them one after the other pays a microsecond or two for each, which in its first plan is as much as the
 * look-up itself.  Cheap after the first time; a system that cannot do it does not. */
void srt_warm(void);

/* Has the memory that a look-up takes given to the process by the system in a few calls: of the heap, for pages of a
 * database and an image, and of the calling thread's stack.  The block that is returned keeps the heap's from going
 * back, and is to be freed some day; NULL, like whatever else fails, does no harm. */
void *srt_warm_memory(void);

#endif
