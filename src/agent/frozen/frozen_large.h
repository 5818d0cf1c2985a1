/*
 * frozen_large.h - moves memory onto large pages before the pause, so that the fork is shorter, and
 * joins the large pages of a heap after it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct headroom;

/** Called before a pause with sites. The fewer page tables there are, the shorter is the fork. The
 * headroom must be open. The Java heap itself is not changed. Context: no lock. */
void frozen_large_pages(struct headroom *room, uint64_t heap_low, uint64_t heap_high);
/** Map the large pages in [low, high), which watching has cut into small ones, as large ones again:
 * khugepaged would need minutes. What cannot be joined until `until_ns` stays as it is. Only for
 * memory for which the VM has asked for transparent large pages. Context: the program runs. */
void frozen_large_join(uint64_t low, uint64_t high, uint64_t until_ns);
