/*
 * jfr_context.c - see jfr_context.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_context.h"
#include "base/err.h"
#include "jfrtool/jfr_input.h"
#include "jfrtool/jfr_printer.h"
#include "command/say.h"
#include "jfr/jfr_nanotime.h"
#include "jfr/jfr_place.h"
#include "jfr/jfr_value.h"

/* The texts of all contextual events are in memory at once. They may take TEXTS_LEAST bytes, and
 * TEXTS_RATE bytes more for each byte of the file. */
enum { TEXTS_LEAST = 16 << 20, TEXTS_RATE = 64 };

static bool has_contexts(const struct jfr_metadata *m)
{
    for (uint32_t i = 0; i < m->type_count; i++)
        if (jfr_type_is_contextual(&m->types[i]))
            return true;
    return false;
}

/* The state of the pass over the file. */
struct pass {
    struct jfr_around *all;
    jfr_context_writer *put;
    struct jfr_printer out;
    uint64_t jvm; /* the number of the chunk's JVM */
};

static void add(struct pass *p, const struct jfr_type *type, const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);
    struct jfr_printer *out = &p->out;
    size_t before = out->text.len;
    struct jfr_place place;
    if (!jfr_place_of(out->chunk, p->jvm, &event, &place))
        return;
    out->bound.event_start = before;
    p->put(out, type, record);
    if (!out->text.is_bad)
        jfr_around_add(p->all, place.thread, place.start_ns, place.end_ns, out->text.bytes + before,
                       out->text.len - before);
    jfr_printer_count_event(out);
    out->text.len = out->bound.event_start = before;
}

static void read_chunk(struct pass *p, struct jfr_file *f)
{
    struct jfr_record record;
    if (!has_contexts(&f->chunk.metadata))
        return;
    jfr_printer_chunk(&p->out, &f->chunk);
    jfr_nanotime_at_clock(&f->chunk, &p->out.nanotime_ns);
    p->jvm = jfr_place_jvm(&f->chunk);
    while (jfr_file_next_record(f, &record) > 0) {
        const struct jfr_type *type = jfr_chunk_type(&f->chunk, record.type_id);
        if (type && jfr_type_is_contextual(type) && !jfr_printer_is_used_up(&p->out))
            add(p, type, &record);
    }
}

int jfr_context_read(struct jfr_around *a, const char *path, jfr_context_writer *put,
                     const struct jfr_printer *like)
{
    struct pass pass = {.all = a, .put = put};
    struct jfr_input in;
    int code = jfr_input_open(&in, path, true);
    if (code < 0)
        return code;
    code = jfr_printer_init(&pass.out, NULL, like->stack_depth);
    pass.out.is_exact = like->is_exact;
    pass.out.clock = like->clock;
    pass.out.bound.left = TEXTS_LEAST;
    pass.out.bound.rate = TEXTS_RATE;
    while (code >= 0 && a->error == 0 && (code = jfr_file_next_chunk(&in.file)) > 0)
        read_chunk(&pass, &in.file);
    jfr_around_sort(a);
    bool is_used_up = code >= 0 && jfr_printer_is_used_up(&pass.out);
    jfr_printer_done(&pass.out);
    in.file.damage_count = 0; /* the code that prints the file reports the damage */
    jfr_input_close(&in);
    if (!is_used_up)
        return a->error;
    say("%s: what the contexts say takes more than %d MB and %d times the file, so that it is no "
        "JVM's; without --context the events are shown",
        path, TEXTS_LEAST >> 20, TEXTS_RATE);
    return E_LIMIT;
}
