/*
 * hprof_frame.c - see hprof_frame.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_frame.h"
#include <string.h>

enum frame_kind hprof_frame_kind(struct profile *p, method_id method)
{
    static const char kernel[] = "_[k]";
    const size_t end = sizeof(kernel) - 1;
    const struct profile_method *m = profile_method_at(p, method);
    const struct profile_string *name = m->name ? profile_string_at(p, m->name) : NULL;
    string_id library = m->klass ? profile_class_at(p, m->klass)->name : 0;
    if (name && name->len > end && memcmp(name->bytes + name->len - end, kernel, end) == 0)
        return FRAME_KERNEL;
    return library && library == m->source ? FRAME_NATIVE : FRAME_JAVA;
}
