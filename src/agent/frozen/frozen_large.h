/*
 * frozen_large.h - before the pause: memory goes onto large pages, for the shorter fork.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct headroom;

/** Before a pause with sites: the less page tables there are, the shorter is the fork. The headroom
 * is open. The heap itself stays as it is. Context: no lock. */
void frozen_large_pages(struct headroom *room, uint64_t heap_low, uint64_t heap_high);
