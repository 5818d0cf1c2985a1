/*
 * query_live.c - see query_live.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_live.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "base/err.h"
#include "jvm/counters_source.h"
#include "jvm/outside.h"
#include "jvm/threads_outside.h"
#include "query/query_state.h"

/* One JVM. */
struct jvm {
    uint32_t input;
    struct counters_source counters;
    struct threads_outside threads;
    bool has_counters, has_threads; /* it was looked at */
    int counters_error;
};

struct query_live {
    struct jvm *of;
    size_t count;
};

/* What is particular to a table. */
struct live_table {
    int (*look)(struct query *q, struct jvm *jvm);
    uint32_t (*count)(const struct jvm *jvm); /* of rows */
    void (*give)(const struct jvm *jvm, uint32_t row, struct query_value *to, uint32_t column);
};

struct live_cursor {
    struct query_table_cursor base;
    size_t jvm;
    uint32_t row; /* behind the current one */
};

/* ---- the walk */

static int next_row(struct query_table_cursor *base)
{
    struct live_cursor *c = (struct live_cursor *)base;
    struct query *q = base->table->query;
    const struct live_table *of = base->table->of;
    for (; c->jvm < q->live->count; c->jvm++, c->row = 0) {
        int error = of->look(q, &q->live->of[c->jvm]);
        if (error < 0)
            return error;
        if (c->row < of->count(&q->live->of[c->jvm])) {
            c->row++;
            return 1;
        }
    }
    return 0;
}

static int begin_rows(struct query_table_cursor *base, const struct query_table_ask *ask)
{
    struct live_cursor *c = (struct live_cursor *)base;
    (void)ask;
    c->jvm = 0;
    c->row = 0;
    return next_row(base);
}

static int give_column(struct query_table_cursor *base, struct query_value *to, uint32_t column)
{
    const struct live_cursor *c = (struct live_cursor *)base;
    const struct live_table *of = base->table->of;
    const struct jvm *jvm = &base->table->query->live->of[c->jvm];
    if (column + 1 == base->table->column_count) /* the last column of each table */
        query_value_number(to, jvm->input);
    else
        of->give(jvm, c->row - 1, to, column);
    return 0;
}

static const struct query_table_kind kind = {sizeof(struct live_cursor), begin_rows, next_row,
                                             give_column, NULL};

/* ---- counters */

static void give_text(struct query_value *to, const char *text)
{
    query_value_copied(to, text, text ? strlen(text) : 0);
}

static int look_at_counters(struct query *q, struct jvm *jvm)
{
    const struct query_input *in = &q->inputs[jvm->input - 1];
    if (!jvm->has_counters && counters_source_open_pid(in->pid, in->word, &jvm->counters) != 0) {
        jvm->counters_error = -ESRCH; /* the reason was told */
        q->is_damaged = true;
    }
    jvm->has_counters = true;
    return jvm->counters_error;
}

static uint32_t count_counters(const struct jvm *jvm)
{
    return jvm->counters.data ? jvm->counters.data->count : 0;
}

static void give_counter(const struct jvm *jvm, uint32_t number, struct query_value *to,
                         uint32_t column)
{
    const struct perfdata *data = jvm->counters.data;
    const struct perfdata_row *row = &data->rows[number];
    size_t len;
    switch (column) {
    case 0:
        give_text(to, row->name);
        break;
    case 1:
        if (row->len > 0) {
            const char *text = perfdata_text(data, row, &len);
            query_value_copied(to, text, len);
        } else {
            query_value_number(to, perfdata_number(data, row));
        }
        break;
    default:
        query_table_give_text(to, perfdata_unit_word(row->unit));
    }
}

/* ---- threads and locks */

static int look_at_threads(struct query *q, struct jvm *jvm)
{
    const struct query_input *in = &q->inputs[jvm->input - 1];
    if (jvm->has_threads)
        return jvm->threads.is_known ? 0 : -EPERM;
    jvm->has_threads = true;
    threads_outside_look(&jvm->threads, in->pid, false);
    if (jvm->threads.is_known)
        return 0;
    diag_tell(q->options.diag, -EPERM, in->word,
              "its threads cannot be read: it is gone, no JVM that is known, or not this user's");
    q->is_damaged = true;
    return -EPERM;
}

static uint32_t count_threads(const struct jvm *jvm)
{
    return jvm->threads.is_known ? jvm->threads.snapshot.java.count : 0;
}

/* The name of a thread; that of the virtual thread that is mounted on it. */
static const char *name_of(const struct java_thread *t)
{
    return t->virtual_object != 0 && t->virtual_name ? t->virtual_name : t->name;
}

/* What the thread waits for; NULL: nothing. */
static const struct java_lock *awaited(const struct jvm *jvm, uint32_t number)
{
    const struct java_locks *locks = &jvm->threads.snapshot.locks;
    if (!locks->first)
        return NULL;
    for (int32_t n = java_locks_first(locks, number); n >= 0; n = locks->rows[n].next)
        if (locks->rows[n].kind >= JAVA_LOCK_ENTERING)
            return &locks->rows[n];
    return NULL;
}

static void give_holder(const struct jvm *jvm, const struct java_lock *lock, struct query_value *to)
{
    if (lock && lock->holder >= 0)
        give_text(to, name_of(&jvm->threads.snapshot.java.rows[lock->holder]));
}

static void give_thread(const struct jvm *jvm, uint32_t number, struct query_value *to,
                        uint32_t column)
{
    const struct java_thread *t = &jvm->threads.snapshot.java.rows[number];
    const struct java_lock *lock = awaited(jvm, number);
    switch (column) {
    case 0:
        give_text(to, t->name);
        break;
    case 1:
        if (t->id > 0)
            query_value_number(to, t->id);
        break;
    case 2:
        if (t->os_tid > 0)
            query_value_number(to, t->os_tid);
        break;
    case 3:
        give_text(to, java_threads_state(t->status));
        break;
    case 4:
        query_value_number(to, t->is_daemon);
        break;
    case 5:
        if (t->virtual_object != 0)
            give_text(to, t->virtual_name);
        break;
    case 6:
        give_text(to, lock ? lock->class_name : NULL);
        break;
    default:
        give_holder(jvm, lock, to);
    }
}

static uint32_t count_locks(const struct jvm *jvm)
{
    return jvm->threads.is_known ? jvm->threads.snapshot.locks.count : 0;
}

static void give_lock(const struct jvm *jvm, uint32_t number, struct query_value *to,
                      uint32_t column)
{
    const struct snapshot *s = &jvm->threads.snapshot;
    const struct java_lock *lock = &s->locks.rows[number];
    switch (column) {
    case 0:
        give_text(to, lock->thread < s->java.count ? name_of(&s->java.rows[lock->thread]) : NULL);
        break;
    case 1:
        query_table_give_text(to, java_locks_word(lock->kind));
        break;
    case 2:
        give_text(to, lock->class_name);
        break;
    case 3:
        query_value_number(to, (int64_t)lock->object);
        break;
    default:
        give_holder(jvm, lock, to);
    }
}

/* ---- all of them */

static int find_jvms(struct query *q)
{
    struct query_live *live = q->live;
    live->of = calloc(q->input_count + 1, sizeof(*live->of));
    if (!live->of)
        return -ENOMEM;
    for (size_t i = 0; i < q->input_count; i++)
        if (q->inputs[i].pid != 0)
            live->of[live->count++].input = q->inputs[i].number;
    return 0;
}

int query_live_open(struct query *q)
{
    static const struct query_table_column counter_columns[] = {
        {"name", "TEXT", "The name of the counter.", 0, 0},
        {"value", "NUMERIC", "Its value: a number or a text.", 0, 0},
        {"unit", "TEXT", "bytes, ticks, events, hertz, text or number.", 0, 0},
        {"input", "INTEGER", "The number of the input.", 0, 0},
    };
    static const struct query_table_column thread_columns[] = {
        {"thread", "TEXT", "The name of the thread.", 0, 0},
        {"java_id", "INTEGER", "Java's number of it.", 0, 0},
        {"os_id", "INTEGER", "The kernel's number of it, in the JVM's own container.", 0, 0},
        {"state", "TEXT", "Its state, as Thread.getState() has it, and why.", 0, 0},
        {"daemon", "INTEGER", "1: the program does not wait for it.", 0, 0},
        {"virtual", "TEXT", "The name of the virtual thread that it runs.", 0, 0},
        {"waits_for", "TEXT", "The class of the lock that it waits for.", 0, 0},
        {"holder", "TEXT", "The thread that has this lock.", 0, 0},
        {"input", "INTEGER", "The number of the input.", 0, 0},
    };
    static const struct query_table_column lock_columns[] = {
        {"thread", "TEXT", "The thread that holds it or waits for it.", 0, 0},
        {"kind", "TEXT",
         "held, relock, entering, waiting or parked; relock: held again after waiting.", 0, 0},
        {"class", "TEXT", "The class of the lock.", 0, 0},
        {"object", "INTEGER", "The address of the lock: equal ones are one lock.", 0, 0},
        {"holder", "TEXT", "The thread that has what this one waits for.", 0, 0},
        {"input", "INTEGER", "The number of the input.", 0, 0},
    };
    static const struct live_table counters = {look_at_counters, count_counters, give_counter};
    static const struct live_table threads = {look_at_threads, count_threads, give_thread};
    static const struct live_table locks = {look_at_threads, count_locks, give_lock};
    static const struct query_table tables[] = {
        {.name = "counters",
         .about = "The performance counters of live JVMs.",
         QUERY_TABLE_COLUMNS(counter_columns),
         .of = &counters},
        {.name = "java_threads",
         .about = "The platform threads of live JVMs, and what they wait for.",
         QUERY_TABLE_COLUMNS(thread_columns),
         .of = &threads},
        {.name = "locks",
         .about = "Locks that threads of live JVMs wait for, and who has them.",
         QUERY_TABLE_COLUMNS(lock_columns),
         .of = &locks},
    };
    q->live = arena_alloc(&q->arena, sizeof(*q->live));
    int error = q->live ? find_jvms(q) : -ENOMEM;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && error == 0; i++) {
        struct query_table t = tables[i];
        t.kind = &kind;
        t.rows = 500;
        t.is_idle = q->live->count == 0;
        error = query_add_copy(q, &t);
    }
    return error;
}

void query_live_close(struct query_live *live)
{
    for (size_t i = 0; live && live->of && i < live->count; i++) {
        if (live->of[i].has_counters)
            counters_source_close(&live->of[i].counters);
        if (live->of[i].has_threads)
            threads_outside_done(&live->of[i].threads);
    }
    if (live)
        free(live->of);
}
