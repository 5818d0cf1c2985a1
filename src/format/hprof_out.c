/*
 * hprof_out.c - what the two HPROF writers share: see hprof_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_out.h"
#include <errno.h>
#include <stdlib.h>
#include "profile/profile.h"
#include "profile/sums.h"
#include "profile/tally.h"

int hprof_out_new(struct writer_out *o)
{
    o->state = calloc(1, sizeof(struct hprof_out));
    return o->state ? 0 : -ENOMEM;
}

void hprof_out_set_up(struct writer_out *o, const struct hprof_out_config *config)
{
    struct hprof_out *out = o->state;
    out->sink = o->sink;
    out->profile = o->profile;
    out->tally = o->tally ? o->tally : profile_tally(o->profile);
    out->config = *config;
    if (out->config.id_bytes == 0)
        out->config.id_bytes = 4;
    row_marks_init(&out->marks, config->marks_bytes);
    o->marks = &out->marks;
}

int hprof_out_end(struct writer_out *o)
{
    struct hprof_out *out = o->state;
    if (out)
        row_marks_done(&out->marks);
    free(out);
    o->state = NULL;
    o->marks = NULL;
    return 0;
}

void hprof_out_again(struct writer_out *o)
{
    struct profile *p = o->profile;
    row_marks_forget(o->marks);
    for (class_id id = 1; id <= profile_class_count(p); id++) {
        uint64_t object = row_marks_class(o->marks, id);
        row_marks_set_class(o->marks, id, 0);
        if (object != 0)
            writer_load_class(o, id, object);
    }
    for (thread_id id = 1; id <= profile_thread_count(p); id++) {
        if (!profile_thread_at(p, id)->ended)
            writer_thread(o, id, true);
    }
}

void hprof_out_next(struct writer_out *o, enum kind_id kind)
{
    const struct hprof_out *out = o->state;
    row_marks_set_before(o->marks, kind, tally_sums(out->tally, kind));
}
