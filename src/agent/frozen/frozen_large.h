/*
 * frozen_large.h - moves memory onto large pages before the pause, so that the fork is shorter.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct headroom;

/** Called before a pause with sites. The fewer page tables there are, the shorter is the fork. The
 * headroom must be open. The Java heap itself is not changed. Context: no lock. */
void frozen_large_pages(struct headroom *room, uint64_t heap_low, uint64_t heap_high);
