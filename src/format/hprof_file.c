/*
 * hprof_file.c - see hprof_file.h.
 *
 * Readers add most rows through the functions here, with the numbers of the file. Rows that they
 * add to the model in another way (the empty trace, the folded trace, the traces of cpu=old) have
 * no number in the file. number_all() gives them the next free numbers in the order in which they
 * were added.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_file.h"
#include <string.h>
#include "base/arena.h"
#include "profile/profile.h"
#include "profile/sieve.h"

const struct hprof_file *hprof_file_of(const struct profile *p)
{
    static const struct hprof_file none;
    const struct hprof_file *f = profile_attachment(p, HPROF_SERIAL_ATTACHMENT);
    return f ? f : &none;
}

static uint32_t hash_of(const struct hprof_file *f, uint32_t serial)
{
    return lookup_hash(&f->key, &serial, sizeof(serial));
}

/* The first row with this number; 0: none. */
static uint32_t find(const struct hprof_file *f, const struct hprof_serial_rows *s, uint32_t serial)
{
    uint32_t hash = hash_of(f, serial), at = hash, id;
    while ((id = lookup_next(&s->index, hash, &at)) != 0)
        if (*(const uint32_t *)table_at(&s->rows, id) == serial)
            break;
    return id;
}

/* Gives a number to the first row of the model that has none. Returns false if there is no room. */
static bool add_serial(struct hprof_file *f, struct hprof_serial_rows *s, uint32_t serial,
                       bool is_indexed)
{
    struct arena *arena = profile_arena(f->profile);
    bool has_room = !is_indexed || lookup_reserve(&s->index, arena);
    uint32_t *row = has_room ? table_add(&s->rows, arena) : NULL;
    if (!row) {
        profile_lose(f->profile);
        return false;
    }
    *row = serial;
    if (serial >= s->next)
        s->next = serial + 1;
    if (is_indexed && find(f, s, serial) == 0)
        lookup_add(&s->index, hash_of(f, serial), s->rows.count);
    return true;
}

/* Numbers all rows of the model that have no number yet. */
static bool number_all(struct hprof_file *f, struct hprof_serial_rows *s, uint32_t count,
                       bool is_indexed)
{
    bool ok = true;
    while (ok && s->rows.count < count)
        ok = add_serial(f, s, s->next, is_indexed);
    return ok;
}

/* The number of the folded trace: no trace of the file has it. */
static uint32_t serial_of_rest(const struct sieve *sieve)
{
    uint32_t largest = sieve_largest(sieve);
    return (largest > HPROF_SERIAL_TRACE_SYSTEM ? largest : HPROF_SERIAL_TRACE_SYSTEM) + 1;
}

struct hprof_file *hprof_file_attach(struct profile *p, const struct sieve *sieve)
{
    struct hprof_file *f = arena_alloc(profile_arena(p), sizeof(*f));
    trace_id rest = sieve && !sieve_is_counting(sieve) ? sieve_rest(sieve) : 0;
    if (!f)
        return NULL;
    f->profile = p;
    f->serials.classes.next = HPROF_SERIAL_CLASS;
    f->serials.traces.next = HPROF_SERIAL_TRACE_SYSTEM;
    lookup_key_init(&f->key);
    table_init(&f->serials.classes.rows, sizeof(uint32_t));
    table_init(&f->serials.traces.rows, sizeof(uint32_t));
    table_init(&f->threads, sizeof(struct hprof_file_thread));
    table_init(&f->monitors, sizeof(struct hprof_file_monitor));
    table_init(&f->waits, sizeof(struct hprof_file_waiter));
    profile_attach(p, HPROF_SERIAL_ATTACHMENT, f);
    if (rest > 0 && number_all(f, &f->serials.traces, rest - 1, true))
        add_serial(f, &f->serials.traces, serial_of_rest(sieve), true);
    return f;
}

class_id hprof_file_add_class(struct hprof_file *f, uint32_t serial, string_id name)
{
    bool ok = number_all(f, &f->serials.classes, profile_class_count(f->profile), false);
    class_id id = ok ? profile_add_class(f->profile, name) : 0;
    return id && add_serial(f, &f->serials.classes, serial, false) ? id : 0;
}

trace_id hprof_file_add_trace(struct hprof_file *f, uint32_t serial, thread_id thread,
                              const frame_id *frames, uint32_t depth)
{
    bool ok = number_all(f, &f->serials.traces, profile_trace_count(f->profile), true);
    trace_id id = ok ? profile_add_trace(f->profile, thread, frames, depth) : 0;
    return id && add_serial(f, &f->serials.traces, serial, true) ? id : 0;
}

trace_id hprof_file_trace(struct hprof_file *f, uint32_t serial)
{
    number_all(f, &f->serials.traces, profile_trace_count(f->profile), true);
    return find(f, &f->serials.traces, serial);
}

bool hprof_file_passes(struct sieve *sieve, uint32_t serial)
{
    return serial == HPROF_SERIAL_TRACE_SYSTEM || sieve_passes(sieve, serial);
}

static void add(struct hprof_file *f, struct table *t, const void *row)
{
    void *at = table_add(t, profile_arena(f->profile));
    if (at)
        memcpy(at, row, t->row_bytes);
    else
        profile_lose(f->profile);
}

void hprof_file_begin_dump(struct hprof_file *f)
{
    f->monitor_dumps++;
    f->threads.count = f->monitors.count = f->waits.count = 0;
}

void hprof_file_add_thread(struct hprof_file *f, const struct hprof_file_thread *row)
{
    add(f, &f->threads, row);
}

void hprof_file_add_monitor(struct hprof_file *f, const struct hprof_file_monitor *row)
{
    add(f, &f->monitors, row);
}

void hprof_file_add_waiter(struct hprof_file *f, thread_id thread, bool is_entering)
{
    const struct hprof_file_waiter row = {f->monitors.count, thread, is_entering};
    add(f, &f->waits, &row);
}

enum frame_kind hprof_file_frame_kind(struct profile *p, method_id method)
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
