/*
 * frame_native.h - frames of C and C++ code, whose number is the pc: what libraries the process
 * has, and how handlers leave their frames.
 *
 * A frame's class is the library, its method the function as the symbol table spells it, or 0x and
 * its address in the file. The tables for handlers (safe/cfi_map.h) are made when a library is
 * first seen and kept for ever, since a handler may be reading them: 16 bytes for each piece of
 * code, some 10 MB for a libjvm.so, outside of mem=. A library that is loaded again uses the ones
 * it had. A file's symbols are read when the first of its functions is to be named.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/**
 * Look what is loaded; cheap when nothing has changed. Publishes to hotspot_self_unwind.
 * Context: any, not signal. Needs no lock of the agent's: tables may have to be made.
 */
void frame_native_refresh(void);

/**
 * The same for a caller that must not be held up: the first look, which reads all libraries and
 * takes some 100 ms of CPU time, is left to a thread of its own. Context: one thread.
 */
void frame_native_look(void);

/** Whether a walk has asked for the tables. Context: any. */
bool frame_native_is_wanted(void);
