/*
 * trap_history.h - how often compiled code of a method met what it was not made for (uncommon
 * traps), by reason, as the VM counts in the method's profile.
 *
 * The profile (MethodData) has one byte for each reason. A byte that has reached 255 stays, and one
 * number counts all later traps of the method with such a reason. JDKs from 27 on do not tell where
 * the bytes are.
 * Source: HotSpot methodData.hpp (CompilerCounters), deoptimization.hpp.
 * Context of everything here: any, not signal. Nothing here allocates.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct target;

enum { TRAP_HISTORY_MAX = 64, TRAP_HISTORY_FULL = 255 };

/** Where this VM keeps the counts, and what the reasons are called; found once. */
struct trap_history {
    const struct target *target;
    int32_t method_data, of_method, counts, overflow;
    uint32_t length; /* bytes with counts */
    /* The reasons repeat after so many bytes: VMs that can have a compiler in Java count traps of
     * code for loops that run (on-stack replacement) in a second half. */
    uint32_t period;
    const char *reasons[TRAP_HISTORY_MAX]; /* as in HotSpot: "class_check"; NULL: unknown */
};

struct trap_history_row {
    uint64_t const_method; /* a method that comes to the same address later has another one */
    uint32_t overflow;     /* traps whose reason's byte was full */
    uint8_t counts[TRAP_HISTORY_MAX];
};

/** Errors: 0; E_FACT_MISSING, and *ret_missing names the fact (static text). Owner: borrows `t`. */
int trap_history_init(struct trap_history *h, const struct target *t, const char **ret_missing);

/** Read the history of the Method at `method`; all 0 if it has no profile. Returns whether there is
 * a method that could be read. */
bool trap_history_read(const struct trap_history *h, uint64_t method,
                       struct trap_history_row *ret_row);

/** The reason of the count with this index; "unknown" if the VM does not tell. */
const char *trap_history_reason(const struct trap_history *h, uint32_t index);
