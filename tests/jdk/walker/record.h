/*
 * record.h - writes the recorded memory images of tests/data/walk (walkimage.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "hotspot/hotspot.h"
#include "safe/regs.h"
#include "safe/walk.h"

/** Read the layout once more through a recorder. 1, or 0. */
int record_open(const struct hotspot *vm);
/** Record one walk (regs NULL: from the anchor); a few of each trust are kept. Context: signal. */
void record_walk(uint64_t thread, const struct regs *regs, const struct walk_frame *frames,
                 int count);
/** Write the file. 0, or -1. */
int record_write(const char *path);
