/*
 * dumpprint.c - see dumpprint.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumpprint.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/plural.h"
#include "base/sink.h"
#include "format/json_out.h"
#include "threaddump/dumpseries.h"
#include "threaddump/dumptree.h"

enum {
    NAMES_SHOWN = 8,
    FRAMES_SHOWN = 12,
    GROUPS_SHOWN = 20,
    ROWS_SHOWN = 40,
    LETTERS = 40, /* of so many dumps a letter is shown */
    CPU_ROWS = 10,
};

static void put(struct sink *out, struct threaddump_text t)
{
    sink_bytes(out, t.at, t.len);
}

static void put_name(struct sink *out, const struct threaddump_thread *t)
{
    sink_text(out, "\"");
    put(out, t->name);
    sink_text(out, "\"");
    if (t->id >= 0)
        sink_printf(out, " #%" PRId64, t->id);
}

static const struct threaddump *last_dump(const struct dumpseries *s)
{
    return &s->set->dumps[s->set->count - 1].threads;
}

static const struct threaddump_thread *last_of(const struct dumpseries *s,
                                               const struct dumpseries_thread *t)
{
    return dumpseries_at(s, t, t->count - 1);
}

/* ---- lists of threads over time, sorted */

struct rows {
    const struct dumpseries_thread **all;
    uint32_t count;
};

static const struct dumpseries *ordered; /* whose threads are compared */

static int by_cpu(const void *a, const void *b)
{
    const struct dumpseries_thread *x = *(const struct dumpseries_thread *const *)a;
    const struct dumpseries_thread *y = *(const struct dumpseries_thread *const *)b;
    return x->cpu_s != y->cpu_s ? (x->cpu_s < y->cpu_s) - (x->cpu_s > y->cpu_s)
                                : (x->first > y->first) - (x->first < y->first);
}

/* By state and frames in the last dump. */
static int by_stack(const void *a, const void *b)
{
    const struct threaddump *d = last_dump(ordered);
    const struct threaddump_thread *x =
        last_of(ordered, *(const struct dumpseries_thread *const *)a);
    const struct threaddump_thread *y =
        last_of(ordered, *(const struct dumpseries_thread *const *)b);
    return threaddump_compare_stacks(d, x, d, y);
}

typedef bool chooser(const struct dumpseries_thread *t);

static bool has_cpu(const struct dumpseries_thread *t)
{
    return t->cpu_s > 0 && t->elapsed_s > 0;
}

static bool is_blocked(const struct dumpseries_thread *t)
{
    return t->is_blocked;
}

static bool is_stuck(const struct dumpseries_thread *t)
{
    return t->is_same_stack;
}

static bool is_moving(const struct dumpseries_thread *t)
{
    return !t->is_same_stack;
}

static int choose(const struct dumpseries *s, chooser *wants,
                  int (*order)(const void *, const void *), struct rows *ret)
{
    *ret = (struct rows){.all = calloc((size_t)s->count + 1, sizeof(struct dumpseries_thread *))};
    if (!ret->all)
        return -ENOMEM;
    for (uint32_t i = 0; i < s->count; i++)
        if (wants(&s->threads[i]))
            ret->all[ret->count++] = &s->threads[i];
    ordered = s;
    if (order && ret->count > 0)
        qsort(ret->all, ret->count, sizeof(struct dumpseries_thread *), order);
    return 0;
}

/* ---- the parts */

static int print_cpu(struct sink *out, const struct dumpseries *s)
{
    struct rows r;
    int error = choose(s, has_cpu, by_cpu, &r);
    if (r.count > 0)
        sink_text(out, "\nCPU time between the first and the last dump:\n");
    for (uint32_t i = 0; i < r.count && i < CPU_ROWS; i++) {
        sink_printf(out, "%9.2f s %5.1f %%  ", r.all[i]->cpu_s,
                    100 * r.all[i]->cpu_s / r.all[i]->elapsed_s);
        put_name(out, last_of(s, r.all[i]));
        sink_text(out, "\n");
    }
    free(r.all);
    return error;
}

static int print_blocked(struct sink *out, const struct dumpseries *s)
{
    struct rows r;
    const struct dumplocks *l = &s->locks[s->set->count - 1];
    int error = choose(s, is_blocked, NULL, &r);
    if (r.count > 0)
        sink_printf(out, "\nWait for a lock in all dumps: %u thread%s\n", r.count,
                    plural_s(r.count));
    for (uint32_t i = 0; i < r.count && i < ROWS_SHOWN; i++) {
        const struct dumpseries_place *p = &s->places[r.all[i]->first + r.all[i]->count - 1];
        const struct dumplocks_lock *lock = &l->locks[l->wanted[p->thread]];
        sink_text(out, "    ");
        put_name(out, last_of(s, r.all[i]));
        sink_text(out, " for <");
        put(out, lock->object);
        sink_text(out, "> (a ");
        put(out, lock->class_name);
        sink_text(out, ")");
        if (lock->holder >= 0) {
            sink_text(out, ", held by ");
            put_name(out, &last_dump(s)->threads[lock->holder]);
        }
        sink_text(out, "\n");
    }
    if (r.count > ROWS_SHOWN)
        sink_printf(out, "    and %u more\n", r.count - ROWS_SHOWN);
    free(r.all);
    return error;
}

struct group {
    uint32_t first, count;
};

/* Threads that run or are blocked first: the others are often idle. */
static int rank(const struct dumpseries_thread *t)
{
    struct threaddump_text state = threaddump_state(last_of(ordered, t));
    return state.len > 0 && (*state.at == 'R' || *state.at == 'B') ? 0 : 1;
}

static const struct rows *grouped;

static int by_size(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    int i = rank(grouped->all[x->first]), j = rank(grouped->all[y->first]);
    if (i != j)
        return i - j;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : (x->first > y->first) - (x->first < y->first);
}

static void print_group(struct sink *out, const struct dumpseries *s, const struct rows *r,
                        const struct group *g)
{
    const struct threaddump *d = last_dump(s);
    const struct threaddump_thread *t = last_of(s, r->all[g->first]);
    uint32_t frames = 0;
    sink_printf(out, "%u thread%s ", g->count, plural_s(g->count));
    put(out, threaddump_state(t));
    sink_text(out, ":");
    for (uint32_t i = 0; i < g->count && i < NAMES_SHOWN; i++) {
        sink_text(out, i > 0 ? ", " : " ");
        put_name(out, last_of(s, r->all[g->first + i]));
    }
    sink_text(out, g->count > NAMES_SHOWN ? ", ...\n" : "\n");
    for (uint32_t i = 0; i < t->count; i++) {
        const struct threaddump_line *l = &d->lines[t->first + i];
        if (l->lock != THREADDUMP_NO_LOCK || frames++ >= FRAMES_SHOWN)
            continue;
        sink_text(out, "    at ");
        put(out, l->text);
        sink_text(out, "\n");
    }
    if (frames > FRAMES_SHOWN)
        sink_printf(out, "    and %u more\n", frames - FRAMES_SHOWN);
}

static int print_stuck(struct sink *out, const struct dumpseries *s)
{
    struct rows r;
    int error = choose(s, is_stuck, by_stack, &r);
    struct group *groups = calloc((size_t)r.count + 1, sizeof(*groups));
    uint32_t count = 0;
    if (error == 0 && !groups)
        error = -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < r.count; i++) {
        if (i == 0 || by_stack(&r.all[i - 1], &r.all[i]) != 0)
            groups[count++].first = i;
        groups[count - 1].count++;
    }
    grouped = &r;
    if (count > 0) {
        qsort(groups, count, sizeof(*groups), by_size);
        sink_printf(out, "\nSame state and stack in all dumps: %u thread%s\n", r.count,
                    plural_s(r.count));
    }
    for (uint32_t i = 0; i < count && i < GROUPS_SHOWN; i++)
        print_group(out, s, &r, &groups[i]);
    if (count > GROUPS_SHOWN)
        sink_printf(out, "and %u more stacks\n", count - GROUPS_SHOWN);
    grouped = NULL;
    free(groups);
    free(r.all);
    return error;
}

static void letters_of(const struct dumpseries *s, const struct dumpseries_thread *t,
                       char letters[LETTERS + 1])
{
    uint32_t count = s->set->count < LETTERS ? s->set->count : LETTERS;
    memset(letters, '-', count);
    letters[count] = '\0';
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t dump = s->places[t->first + i].dump;
        struct threaddump_text state = threaddump_state(dumpseries_at(s, t, i));
        if (dump < count)
            letters[dump] = state.len > 0 ? *state.at : 'V';
    }
}

static int print_moving(struct sink *out, const struct dumpseries *s)
{
    struct rows r;
    int error = choose(s, is_moving, by_cpu, &r);
    uint32_t shown = 0, count = 0;
    for (uint32_t i = 0; i < r.count; i++) {
        char letters[LETTERS + 1];
        if (last_of(s, r.all[i])->count == 0)
            continue; /* a thread of the VM, or one that has no frames */
        if (count++ == 0)
            sink_text(out, "\nStates over time (R runnable, B blocked, W waiting, T timed waiting, "
                           "- not there):\n");
        if (shown == ROWS_SHOWN)
            continue;
        shown++;
        letters_of(s, r.all[i], letters);
        sink_printf(out, "%s ", letters);
        put_name(out, last_of(s, r.all[i]));
        sink_text(out, "\n");
    }
    if (count > shown)
        sink_printf(out, "and %u more\n", count - shown);
    free(r.all);
    return error;
}

int dumpprint_series(struct sink *out, const struct dumpseries *s)
{
    for (uint32_t i = 0; i < s->set->count; i++)
        dumptree_head(out, i + 1, &s->set->dumps[i]);
    sink_printf(out, "%u threads in all, %u began after the first dump, %u ended before the last\n",
                s->count, s->begun, s->ended);
    int error = print_cpu(out, s);
    if (error == 0)
        error = print_blocked(out, s);
    if (error == 0)
        error = print_stuck(out, s);
    return error < 0 ? error : print_moving(out, s);
}

/* ---- JSON */

static void put_json_thread(struct sink *out, const struct dumpseries *s,
                            const struct dumpseries_thread *t)
{
    const struct threaddump_thread *last = last_of(s, t);
    sink_text(out, "{\"name\":");
    json_out_text(out, last->name.at, last->name.len);
    if (last->id >= 0)
        sink_printf(out, ",\"id\":%" PRId64, last->id);
    sink_printf(out, ",\"same_stack\":%s,\"blocked\":%s", t->is_same_stack ? "true" : "false",
                t->is_blocked ? "true" : "false");
    if (t->cpu_s >= 0)
        sink_printf(out, ",\"cpu_s\":%.3f", t->cpu_s);
    if (t->elapsed_s >= 0)
        sink_printf(out, ",\"elapsed_s\":%.3f", t->elapsed_s);
    sink_text(out, ",\"states\":[");
    for (uint32_t dump = 0, i = 0; dump < s->set->count; dump++) {
        sink_text(out, dump > 0 ? "," : "");
        if (i == t->count || s->places[t->first + i].dump != dump) {
            sink_text(out, "null");
            continue;
        }
        struct threaddump_text state = threaddump_state(dumpseries_at(s, t, i));
        json_out_text(out, state.at ? state.at : "", state.len);
        while (i < t->count && s->places[t->first + i].dump == dump)
            i++;
    }
    sink_text(out, "]}");
}

void dumpprint_series_json(struct sink *out, const struct dumpseries *s)
{
    sink_printf(out, "{\"dumps\":%u,\"begun\":%u,\"ended\":%u,\"over_time\":[", s->set->count,
                s->begun, s->ended);
    for (uint32_t i = 0; i < s->count; i++) {
        sink_text(out, i > 0 ? ",\n" : "\n");
        put_json_thread(out, s, &s->threads[i]);
    }
    sink_text(out, "]}\n");
}
