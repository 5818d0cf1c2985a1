/* profiletext.c - see profiletext.h. SPDX-License-Identifier: Apache-2.0 */
#include "profiletext.h"
#include <stdio.h>

const char *profiletext_string(struct profile *p, string_id id)
{
    return id ? profile_string_at(p, id)->bytes : "";
}

const char *profiletext_frame(struct profile *p, frame_id id)
{
    static char text[512];
    const struct profile_frame *f = profile_frame_at(p, id);
    const struct profile_method *m = profile_method_at(p, f->method);
    snprintf(text, sizeof(text), "%s %s%s%s %s %d",
             m->klass ? profiletext_string(p, profile_class_at(p, m->klass)->name) : "",
             profiletext_string(p, m->name), m->descriptor ? " " : "",
             profiletext_string(p, m->descriptor), profiletext_string(p, m->source), f->line);
    return text;
}
