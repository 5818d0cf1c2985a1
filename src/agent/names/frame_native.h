/*
 * frame_native.h - frames of C and C++ code, whose number is the pc.
 *
 * This file knows the libraries of the process, and makes the tables by which signal handlers step
 * through native frames.
 *
 * The class of a frame is the library. Its method is the function as the symbol table spells it, or
 * 0x and the function's address in the file. The tables for handlers (safe/cfi_map.h) are made when
 * a library is first seen. They are kept for ever, because a handler may be reading them: 16 bytes
 * for each piece of code, some 10 MB for a libjvm.so; mem= does not count them. A library that is
 * loaded again uses its old tables. The symbols of a file are read when the first of its functions
 * needs a name.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/**
 * Look which libraries are loaded, and publish their tables to hotspot_self_unwind. Cheap if
 * nothing has changed.
 * Context: any, not signal. Do not hold the agent's lock, because making tables takes long.
 */
void frame_native_refresh(void);

/**
 * Do the same for a caller that must not wait. The first look reads all libraries and takes some
 * 100 ms of CPU time, so a thread of its own does it. Context: one thread.
 */
void frame_native_look(void);

/** Whether a walker has asked for the tables. Context: any. */
bool frame_native_is_wanted(void);
