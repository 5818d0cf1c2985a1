/*
 * counters_renamed.h - counters that later JDKs have renamed or removed.
 *
 * A user may ask for a counter by the name that another JDK gives it. The command then prints the
 * counter of this JVM, and says so. This file reads no JVM.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** One counter, or group of counters, that has changed its name. */
struct counters_renamed {
    /* The old name. If it ends in '.' or '_', it is the beginning of the names of a group. */
    const char *old;
    const char *now; /* the new name; NULL: the counter was removed */
    int release;     /* the first JDK with the change, or the first JDK that is known to have it */
    const char *see; /* where the same value can be seen; NULL: nowhere */
};

/** The row whose old or new name is `name`; NULL: none. */
const struct counters_renamed *counters_renamed_find(const char *name);
/** The other name of the counter; NULL: none. */
const char *counters_renamed_other(const struct counters_renamed *row, const char *name);
