/*
 * frame_name.c - see frame_name.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/frame_name.h"
#include <string.h>

struct frame_name frame_name(struct profile *p, const struct profile_method *m)
{
    struct frame_name name = {.function = m->name ? profile_string_at(p, m->name) : NULL};
    string_id library = m->klass ? profile_class_at(p, m->klass)->name : 0;

    if (library && name.function && strncmp(name.function->bytes, "0x", 2) == 0)
        name.library = profile_string_at(p, library);
    return name;
}
