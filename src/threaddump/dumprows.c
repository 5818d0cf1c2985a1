/*
 * dumprows.c - see dumprows.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumprows.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "command/tabular.h"
#include "jvm/threads_outside.h"
#include "threaddump/dumpline.h"
#include "threaddump/dumplocks.h"
#include "threaddump/dumpseries.h"

enum { FRAME = 2048, NUMBER_ROOM = 32 };

/* ---- rows */

void dumprows_begin(struct tabular *t)
{
    t->name = "threads";
    tabular_columns(t,
                    "dump when name id daemon state cpu_ms elapsed_s allocated_bytes frames frame "
                    "waits_for lock_class held_by");
}

static void put(struct tabular *t, struct threaddump_text text)
{
    if (text.len > 0)
        tabular_bytes(t, text.at, text.len);
    else
        tabular_nothing(t);
}

static void put_seconds(struct tabular *t, double seconds, double times)
{
    if (seconds >= 0)
        tabular_real(t, seconds * times);
    else
        tabular_nothing(t);
}

/* Reads "allocated=12K" in the head of a thread. Source: HotSpot thread.cpp (Thread::print_on);
 * the units are those of byte_size_in_proper_unit(). */
static void put_allocated(struct tabular *t, const struct threaddump_thread *thread)
{
    static const char word[] = " allocated=", units[] = "BKMG";
    const char *at = dumpline_find(thread->head, word);
    char number[NUMBER_ROOM], *end;
    if (!at) {
        tabular_nothing(t);
        return;
    }
    at += sizeof(word) - 1;
    snprintf(number, sizeof(number), "%.*s", (int)(thread->head.at + thread->head.len - at), at);
    uint64_t bytes = strtoull(number, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    tabular_unsigned(t, bytes << (unit ? 10 * (unit - units) : 0));
}

static void put_lock(struct tabular *t, const struct threaddump *d, const struct dumplocks *locks,
                     const struct threads_outside *o, uint32_t i)
{
    const struct dumplocks_lock *lock =
        locks->wanted[i] < 0 ? NULL : &locks->locks[locks->wanted[i]];
    put(t, lock ? lock->object : (struct threaddump_text){0});
    put(t, lock ? lock->class_name : (struct threaddump_text){0});
    if (lock && lock->holder >= 0)
        put(t, d->threads[lock->holder].name);
    else
        tabular_text(t, lock ? threads_outside_holder(o, &d->threads[i]) : NULL);
}

static void put_thread(struct tabular *t, const struct threaddump *d, uint32_t i)
{
    const struct threaddump_thread *thread = &d->threads[i];
    const struct threaddump_line *top = NULL;
    uint32_t frames = 0;
    for (uint32_t l = thread->count; l-- > 0;)
        if (d->lines[thread->first + l].lock == THREADDUMP_NO_LOCK) {
            top = &d->lines[thread->first + l];
            frames++;
        }
    put(t, thread->name);
    if (thread->id >= 0)
        tabular_number(t, thread->id);
    else
        tabular_nothing(t);
    tabular_number(t, dumpline_find(thread->head, "daemon") != NULL);
    put(t, threaddump_state(thread));
    put_seconds(t, dumpseries_seconds(thread, "cpu="), 1000);
    put_seconds(t, dumpseries_seconds(thread, "elapsed="), 1);
    put_allocated(t, thread);
    tabular_number(t, frames);
    put(t, top ? top->text : (struct threaddump_text){0});
}

static void put_virtual(struct tabular *t, const struct snapshot_thread *thread)
{
    const struct snapshot_frame *top = NULL;
    uint32_t frames = 0;
    char text[FRAME];
    for (uint32_t i = thread->frame_count; i-- > 0;)
        if (thread->frames[i].method) {
            top = &thread->frames[i];
            frames++;
        }
    tabular_text(t, thread->java->name ? thread->java->name : "");
    tabular_number(t, thread->java->id);
    tabular_number(t, 1); /* a virtual thread is a daemon */
    tabular_text(t, java_threads_state(thread->java->status));
    for (int i = 0; i < 3; i++)
        tabular_nothing(t);
    tabular_number(t, frames);
    if (top)
        snprintf(text, sizeof(text), top->line >= 0 ? "%s.%s(%s:%d)" : "%s.%s(%s)",
                 top->method->class_name, top->method->name,
                 top->method->source_file ? top->method->source_file : "Unknown Source", top->line);
    tabular_text(t, top ? text : NULL);
    for (int i = 0; i < 3; i++)
        tabular_nothing(t);
}

static void put_dump(struct tabular *t, unsigned number, const char *when)
{
    tabular_number(t, number);
    tabular_text(t, *when != '\0' ? when : NULL);
}

int dumprows_add(struct tabular *t, unsigned number, const char *when, const struct threaddump *d,
                 const struct threads_outside *o)
{
    const struct snapshot *outside = &o->snapshot;
    struct dumplocks locks;
    int error = dumplocks_make(d, &locks);
    for (uint32_t i = 0; error == 0 && i < d->count; i++) {
        put_dump(t, number, when);
        put_thread(t, d, i);
        put_lock(t, d, &locks, o, i);
    }
    uint32_t from = o->wants_virtuals && o->is_known ? outside->java.platform_count : UINT32_MAX;
    for (uint32_t i = from; error == 0 && i < outside->java.count; i++) {
        put_dump(t, number, when);
        put_virtual(t, &outside->threads[i]);
    }
    dumplocks_done(&locks);
    return error;
}

/* ---- dumps of a span of time */

/* Reads "2026-11-29 14:00:00", behind which a logger may have more, or "2026-11-29T14:00:00.1Z". */
static bool moment_of(const char *when, int64_t *ret_ns)
{
    enum { SHORT = sizeof("2026-11-29 14:00:00") - 1 };
    char text[DUMPFEED_TEXT];
    struct window_edge edge;
    snprintf(text, sizeof(text), "%s", when + strspn(when, "[ "));
    if (window_parse(text, &edge) < 0 || edge.kind != WINDOW_MOMENT) {
        if (strlen(text) > SHORT)
            text[SHORT] = '\0';
        if (window_parse(text, &edge) < 0 || edge.kind != WINDOW_MOMENT)
            return false;
    }
    *ret_ns = edge.value;
    return true;
}

int dumprows_cut(struct dumpset *set, struct window *window, unsigned *ret_timeless)
{
    struct window_clock clock = {0};
    uint32_t kept = 0, i = 0;
    int64_t ns;
    *ret_timeless = 0;
    while (i < set->count && !moment_of(set->dumps[i].about.when, &clock.start_ns))
        i++;
    int error = window_resolve(window, &clock);
    for (i = 0; error == 0 && i < set->count; i++) {
        struct dumpset_dump *d = &set->dumps[i];
        bool is_timed = moment_of(d->about.when, &ns);
        *ret_timeless += !is_timed;
        if (is_timed && window_has(window, ns)) {
            set->dumps[kept++] = *d;
            continue;
        }
        threaddump_done(&d->threads);
        textbuf_done(&d->about.text);
    }
    if (error == 0)
        set->count = kept;
    return error;
}
