/*
 * jfr_print.c - `hprof jfr print` and `tail`: prints the events of a JFR file, or of a JVM that is
 * still recording, in the order of their ends.
 *
 * Contextual events have fields that are marked as Contextual (JDK 25) and describe the other
 * events of the same thread, for example by a user, an order or a trace id. A contextual event is
 * written when it ends, which is after the events that it describes. So the file is read for
 * contextual events before anything is printed. Source: what the tool of JDK 28 prints.
 *
 * Memory: twice 16 bytes for each event of one chunk, and the texts of the contextual events.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfrtool.h"
#include <errno.h>
#include <hprof_jfr.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/plainout.h"
#include "command/say.h"
#include "jfr/jfr_around.h"
#include "jfr/jfr_file.h"
#include "jfr/jfr_nanotime.h"
#include "jfr/jfr_place.h"
#include "jfr/jfr_value.h"
#include "jfrlib/jfrlib.h"
#include "jfrtool/jfr_input.h"
#include "jfrtool/jfr_order.h"
#include "jfrtool/jfr_printer.h"

enum {
    /* The texts of all contextual events are in memory at once. They may take TEXTS_LEAST bytes,
     * and TEXTS_RATE bytes more for each byte of the file. */
    TEXTS_LEAST = 16 << 20,
    TEXTS_RATE = 64,
    LOOK_NS = 50000000, /* between two looks at the file of a JVM that is still recording */
};

/* ---- contextual events */

static bool has_contexts(const struct jfr_metadata *m)
{
    for (uint32_t i = 0; i < m->type_count; i++)
        if (jfr_type_is_contextual(&m->types[i]))
            return true;
    return false;
}

/* The state of the pass over the file for contextual events. */
struct context_pass {
    struct jfr_around *all;
    jfr_printer_writer *put;
    struct jfr_printer out;
    uint64_t jvm; /* the number of the chunk's JVM */
};

static void add_context(struct context_pass *p, const struct jfr_type *type,
                        const struct jfr_record *record)
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

static void read_contexts_of(struct context_pass *p, struct jfr_file *f)
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
            add_context(p, type, &record);
    }
}

/*
 * Reads all contextual events of the file, and writes each with `put`, with the depth, digits and
 * clock of the printer `like`. `a` must be empty; the caller passes it to jfr_around_done(). Damage
 * of the file is not reported. Errors: 0; E_LIMIT after saying that the events take too much
 * memory; -ENOMEM.
 */
static int read_contexts(struct jfr_around *a, const char *path, jfr_printer_writer *put,
                         const struct jfr_printer *like)
{
    struct context_pass pass = {.all = a, .put = put};
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
        read_contexts_of(&pass, &in.file);
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

/* ---- a file */

/* Resolves the range, and checks whether times can be written as the user asked. */
static int begin_chunk(const struct jfrtool_print *p, struct window *range,
                       const struct jfr_chunk *c, struct jfr_printer *out)
{
    if (!c->has_types)
        return 0;
    if (p->clock == JFR_PRINTER_NANOTIME &&
        jfr_nanotime_at_clock(c, &out->nanotime_ns) == JFR_NANOTIME_UNKNOWN)
        return E_UNSUPPORTED;
    return jfr_nanotime_resolve(range, c);
}

/*
 * Prints the events of the chunk that `f` has open, from its next record on. `range` is resolved by
 * the first chunk. Errors: 0; E_UNSUPPORTED: the chunk's clock cannot give
 * the wanted times; E_LIMIT: the text has reached its bound, see jfr_printer_say(); -ENOMEM; the
 * sink's.
 */
static int print_chunk(const struct jfrtool_print *p, struct window *range, struct jfr_file *f,
                       struct jfr_order *order, struct jfr_printer *out)
{
    const struct jfr_chunk *c = &f->chunk;
    bool is_set = window_is_set(range);
    struct jfr_record record;
    int r = begin_chunk(p, range, c, out);
    if (r == 0)
        r = jfr_order_chunk(order, f, &p->filter);
    jfr_printer_chunk(out, c);
    out->jvm = out->contexts && out->contexts->count > 0 ? jfr_place_jvm(c) : 0;
    for (size_t i = 0; i < order->count && r == 0; i++) {
        size_t at = (size_t)(order->rows[i].bytes - c->bytes);
        jfr_chunk_record(c->bytes, c->len, at, &record);
        const struct jfr_type *type = jfr_chunk_type(c, record.type_id);
        if (is_set && !jfr_order_takes(range, c, type, &record))
            continue;
        out->bound.event_at = f->offset + at;
        if (out->bound.cut == 0)
            out->bound.cut_at = out->bound.event_at;
        p->style->event(out, type, &record);
        jfr_printer_end_event(out);
        r = jfr_printer_is_used_up(out) ? E_LIMIT : sink_error(out->sink);
    }
    return r;
}

static int print_all(const struct jfrtool_print *p, struct jfr_input *in, struct sink *sink)
{
    struct window range = p->range;
    struct jfr_around contexts = {0};
    struct jfr_order order = {0};
    struct jfr_printer out;
    int r = jfr_printer_init(&out, sink, p->stack_depth);
    if (r < 0)
        return r;
    out.is_exact = p->is_exact;
    out.clock = p->clock;
    if (p->style->context) {
        r = read_contexts(&contexts, in->path, p->style->context, &out);
        out.contexts = &contexts;
    }
    if (r == 0)
        p->style->begin(&out);
    while (r == 0 && (r = jfr_file_next_chunk(&in->file)) > 0 &&
           (r = print_chunk(p, &range, &in->file, &order, &out)) == 0)
        ;
    if (r == 0 || jfr_printer_is_used_up(&out))
        p->style->end(&out);
    if (r == 0 && out.text.is_bad)
        r = -ENOMEM;
    if (!jfr_printer_say(&out, in->path))
        r = E_LIMIT;
    jfr_printer_done(&out);
    jfr_order_done(&order);
    jfr_around_done(&contexts);
    return r;
}

int jfr_print_file(const struct jfrtool_print *p, const char *path)
{
    struct jfr_input in;
    struct plainout out;
    int r = jfr_input_open(&in, path, true);
    if (r < 0)
        return CMD_FAILED;
    r = plainout_open(&out, p->style->is_data);
    if (r == 0) {
        r = print_all(p, &in, &out.sink);
        int done = plainout_done(&out);
        r = r == 0 ? done : r;
    }
    if (r == E_UNSUPPORTED && in.file.chunk.has_types)
        say("%s: " JFR_INPUT_NO_NANOTIME, in.path);
    else if (r < 0 && r != E_LIMIT)
        jfr_input_say(&in, r);
    return jfr_input_close(&in) && r == 0 ? CMD_OK : CMD_FAILED;
}

/* ---- a JVM that is still recording: its chunks come from libhprofjfr's reader of a repository */

struct tail {
    const struct jfrtool_print *how;
    const char *path; /* as the user named it */
    struct hprof_jfr *jfr;
    struct jfr_order order;
    struct jfr_printer out;
    struct plainout plain;
};

/* Says why the repository cannot be read. Returns an error that nobody says again. */
static int say_error(const struct tail *t, const struct hprof_jfr_error *error)
{
    if (error->code == HPROF_JFR_SYSTEM)
        say("%s: %s", t->path, strerror(error->system_error));
    else if (error->code == HPROF_JFR_FORMAT)
        say("%s: not a JFR file: it does not begin with FLR", t->path);
    else
        say("%s: %s", t->path, error->detail);
    return E_LIMIT;
}

static int open_repository(struct tail *t)
{
    const struct hprof_jfr_options options = {
        .size = sizeof(options), .memory_limit = SIZE_MAX, .salvage = true, .only_new = true};
    struct hprof_jfr_error error;
    t->jfr = hprof_jfr_open_repository(t->path, &options, &error);
    return t->jfr ? 0 : say_error(t, &error);
}

/* Prints the events that are new in the present chunk. */
static int print_new(struct tail *t)
{
    struct window range = t->how->range;
    int r = print_chunk(t->how, &range, &t->jfr->file, &t->order, &t->out);
    if (r == 0) {
        jfr_printer_flush(&t->out);
        r = sink_flush(&t->plain.sink);
    }
    return r;
}

static int follow(struct tail *t)
{
    static const struct timespec pause = {.tv_nsec = LOOK_NS};
    for (bool is_first = true;; is_first = false) {
        int r = hprof_jfr_next_chunk(t->jfr);
        if (r < 0)
            return say_error(t, hprof_jfr_last_error(t->jfr));
        if (r == HPROF_JFR_END && is_first)
            say("%s: the recording has ended; 'hprof jfr print' shows it", t->path);
        if (r == HPROF_JFR_END)
            return 0;
        if (r == HPROF_JFR_CHUNK && (r = print_new(t)) < 0)
            return r;
        /* Look for the next chunk at once, because a JVM that ends soon removes it. */
        if (r == HPROF_JFR_WAIT)
            nanosleep(&pause, NULL);
    }
}

int jfr_print_tail(const struct jfrtool_print *p, const char *path)
{
    struct tail t = {.how = p, .path = path};
    int r = plainout_open(&t.plain, p->style->is_data);
    if (r == 0)
        r = jfr_printer_init(&t.out, &t.plain.sink, p->stack_depth);
    if (r == 0)
        r = open_repository(&t);
    if (r == 0) {
        t.out.is_exact = p->is_exact;
        t.out.clock = p->clock;
        p->style->begin(&t.out);
        r = follow(&t);
        p->style->end(&t.out);
    }
    if (!jfr_printer_say(&t.out, path))
        r = E_LIMIT;
    if (r == E_UNSUPPORTED)
        say("%s: " JFR_INPUT_NO_NANOTIME, path);
    else if (r < 0 && r != -EPIPE && r != E_LIMIT)
        say("%s: %s", path, err_text(r));
    jfr_printer_done(&t.out);
    jfr_order_done(&t.order);
    hprof_jfr_close(t.jfr);
    int done = plainout_done(&t.plain);
    return r == 0 && done == 0 ? CMD_OK : CMD_FAILED;
}
