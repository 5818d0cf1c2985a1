/*
 * imports_follow.c - see imports_follow.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "imports/imports_follow.h"
#include <stdbool.h>
#include "imports/imports.h"
#include "safe/clock.h"

enum {
    LOOK_PART = 20,       /* a look of 1 ms is followed by 20 ms without one */
    AGAIN_FIRST_S = 1,    /* until slots that the linker has not bound are looked at again; */
    AGAIN_LONGEST_S = 32, /* twice as long after each look that has changed nothing */
};

void imports_follow_look(struct imports_follow *f, struct imports *imports)
{
    uint64_t begin_ns = clock_monotonic_ns(), end_ns;
    bool is_again = imports->counts.unsure > 0 && begin_ns >= f->again_ns;
    if (begin_ns < f->not_before_ns || (!imports_is_due(imports) && !is_again))
        return;
    int changed = imports_patch(imports);
    end_ns = clock_monotonic_ns();
    f->not_before_ns = end_ns + (end_ns - begin_ns) * LOOK_PART;
    if (changed > 0 || !f->again_after_ns)
        f->again_after_ns = (uint64_t)AGAIN_FIRST_S * NS_PER_S;
    else if (f->again_after_ns < (uint64_t)AGAIN_LONGEST_S * NS_PER_S)
        f->again_after_ns *= 2;
    f->again_ns = end_ns + f->again_after_ns;
}
