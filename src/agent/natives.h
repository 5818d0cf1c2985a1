/*
 * natives.h - native=y: what libraries the process has, how to leave their frames, their names.
 *
 * The tables for the handler (safe/cfi_map.h) are made when a library is first seen and kept for
 * ever, since a handler may be reading them: 16 bytes for each piece of code, some 10 MB for a
 * libjvm.so, outside of mem=. A library that is loaded again uses the ones it had.
 * A function's name is looked up when the first sample of it is taken in, and only then are its
 * file's symbols read.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/profile.h"

struct agent;

/**
 * Look what is loaded; cheap when nothing has changed. Publishes to hotspot_own_unwind.
 * Context: any, not signal. Needs no lock of the agent's: tables may have to be made.
 */
void natives_refresh(void);

/** 1 if a walk has asked for the tables. Context: any. */
int natives_are_wanted(void);

/**
 * The model's frame of an address in C or C++ code: class = library, method = function, as the
 * symbol table spells it, or 0x and its address in the file. Looks again where nothing was loaded
 * at the last look. 0: the address is in no library, or no memory. Needs the agent's lock.
 */
frame_id natives_frame(struct agent *a, uint64_t pc);
