/*
 * imports_follow.h - when a thread looks at the libraries again, to put hooks into those that have
 * been loaded since.
 *
 * Libraries that are loaded later get their hooks here, and not in a hook of dlopen(): dlopen()
 * looks at its caller to choose where it searches, and work within it would hold the linker's lock.
 * So a library is seen at most a lap of the thread after it was loaded. Looking at all libraries
 * takes some milliseconds; in a program that loads libraries all the time it may take a 20th of one
 * processor.
 * Context: as imports.h. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct imports;

/** All 0 at first. */
struct imports_follow {
    uint64_t not_before_ns;
    uint64_t again_ns, again_after_ns; /* for slots that are not bound */
};

/** Put hooks into libraries that have come, if it is time for a look. To be called each lap. */
void imports_follow_look(struct imports_follow *f, struct imports *imports);
