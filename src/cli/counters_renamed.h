/*
 * counters_renamed.h - counters that JDKs have given other names, or do not keep any more.
 *
 * Whoever asks for a counter by the name that another JDK has for it gets the one of this JVM, and
 * is told so. Knows no JVM. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** What has become of a name. */
struct counters_renamed {
    const char *old; /* its name before; with a '.' or '_' at the end, how a group's names begin */
    const char *now; /* its name since; NULL: it is not kept any more */
    int release;     /* of the JDK since which that is so, or the first one known to have it so */
    const char *see; /* where the same can be seen; NULL: nowhere */
};

/** The row of `name`, which may be the old or the new one; NULL: none. */
const struct counters_renamed *counters_renamed_find(const char *name);
/** The other name of it; NULL where there is none. */
const char *counters_renamed_other(const struct counters_renamed *row, const char *name);
