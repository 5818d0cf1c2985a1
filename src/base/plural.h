/*
 * plural.h - the noun after a count: "1 event", "2 events", in every text that people read.
 *
 * Not for formats that others have defined, because their words are fixed: "HEAP DUMP BEGIN (1
 * objects".
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/** Example: "%u class%s %s", n, plural_of(n, "", "es"), plural_of(n, "is", "are"). */
static inline const char *plural_of(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

/** The ending of most nouns: "%u event%s", n, plural_s(n). */
static inline const char *plural_s(uint64_t count)
{
    return plural_of(count, "", "s");
}
