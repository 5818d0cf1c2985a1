/*
 * found.h - what a reader found in a file in addition to events.
 *
 * These are facts about the process and the machine, and the time that the file covers. It is a
 * part of the model (profile_found()); readers fill it and the command shows it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"

enum { FOUND_DRAWABLE = 4 };

/** All zero: nothing was found. */
struct found {
    string_id arguments, processor; /* of the program; of the machine; 0: unknown */
    uint32_t processors, cores;     /* 0: unknown */
    string_id program, vm,
        system;   /* the main class; "OpenJDK 64-Bit Server VM 21.0.4+7"; "Linux" */
    uint32_t pid; /* 0: unknown */
    /* Types of events that have stacks but are in no sum, in the order of the file; 0: no more. */
    string_id drawable[FOUND_DRAWABLE];
    uint64_t from_ns, to_ns; /* the recorded time, since the epoch; 0: unknown */
};

/** Add a part of the recorded time. 0, 0: unknown. */
void found_add_time(struct found *f, uint64_t from_ns, uint64_t to_ns);
/** Add a type to `drawable`, unless it is there already. Left out if there is no room. */
void found_add_drawable(struct found *f, string_id type);
