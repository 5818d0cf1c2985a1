/*
 * frozen_large.h - before the pause: memory goes onto large pages, for the shorter fork.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct frozen;

/** Before a pause with sites: the less page tables there are, the shorter is the fork. The headroom
 * is open. Context: no lock. */
void frozen_large_pages(struct frozen *f);
