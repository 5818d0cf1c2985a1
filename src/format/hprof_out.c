/*
 * hprof_out.c - what the two HPROF writers share: see hprof_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_out.h"

void hprof_out_init(struct hprof_out *o, const struct hprof_out_ops *ops, struct sink *sink,
                    struct profile *profile, const struct hprof_out_config *config)
{
    *o = (struct hprof_out){.ops = ops, .sink = sink, .profile = profile, .config = *config};
}

void hprof_out_again(struct hprof_out *o)
{
    struct profile *p = o->profile;

    for (string_id id = 1; id <= profile_string_count(p); id++)
        profile_string_at(p, id)->mark = 0;
    for (frame_id id = 1; id <= profile_frame_count(p); id++)
        profile_frame_at(p, id)->mark = 0;
    for (trace_id id = 1; id <= profile_trace_count(p); id++)
        profile_trace_at(p, id)->mark = 0;
    for (class_id id = 1; id <= profile_class_count(p); id++) {
        struct profile_class *c = profile_class_at(p, id);
        uint32_t object = c->mark;
        c->mark = 0;
        if (object != 0)
            o->ops->load_class(o, id, object);
    }
    for (thread_id id = 1; id <= profile_thread_count(p); id++) {
        if (!profile_thread_at(p, id)->ended)
            o->ops->start_thread(o, id);
    }
}

int hprof_out_is_below_cutoff(uint64_t ticks, uint64_t total, double cutoff)
{
    return ticks == 0 || (double)ticks / (double)total < cutoff;
}
