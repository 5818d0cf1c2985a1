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
#include <stddef.h>
#include <stdint.h>

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

/** What frame_native_find() found; `addr` 0: no function. */
struct frame_native_found {
    uint64_t addr;
    bool has_library;    /* a loaded library has the name */
    bool is_chosen_late; /* the symbol is that of code that chooses the function (IFUNC) */
};

/**
 * Find the function `symbol` of a loaded library, whose name is as in base/libraryname.h. Only
 * libraries whose files are those that were loaded are looked at.
 * Errors: 0; E_NOT_FOUND; E_LIMIT: several functions have the name; E_UNSUPPORTED: it is chosen
 *         late. *ret is filled also then.
 * Context: as frame_native_refresh(), which was called before.
 */
int frame_native_find(const char *library, size_t library_len, const char *symbol,
                      struct frame_native_found *ret);
