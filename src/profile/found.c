/*
 * found.c - see found.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/found.h"

void found_add_time(struct found *f, uint64_t from_ns, uint64_t to_ns)
{
    if (!from_ns || to_ns < from_ns)
        return;
    if (!f->from_ns || from_ns < f->from_ns)
        f->from_ns = from_ns;
    if (to_ns > f->to_ns)
        f->to_ns = to_ns;
}

void found_add_drawable(struct found *f, string_id type)
{
    for (int i = 0; i < FOUND_DRAWABLE && f->drawable[i] != type; i++) {
        if (!f->drawable[i]) {
            f->drawable[i] = type;
            return;
        }
    }
}
