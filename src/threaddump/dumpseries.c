/*
 * dumpseries.c - see dumpseries.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumpseries.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "threaddump/dumpline.h"

enum { NUMBER_ROOM = 32 };

double dumpseries_seconds(const struct threaddump_thread *t, const char *word)
{
    char number[NUMBER_ROOM], *unit;
    const char *at = dumpline_find(t->head, word);
    if (!at)
        return -1;
    at += strlen(word);
    size_t len = (size_t)(t->head.at + t->head.len - at);
    if (len >= sizeof(number))
        len = sizeof(number) - 1;
    memcpy(number, at, len);
    number[len] = '\0';
    double value = strtod(number, &unit);
    return unit == number || !(value >= 0) ? -1 : *unit == 'm' ? value / 1000 : value;
}

const struct threaddump_thread *dumpseries_at(const struct dumpseries *s,
                                              const struct dumpseries_thread *t, uint32_t n)
{
    const struct dumpseries_place *p = &s->places[t->first + n];
    return &s->set->dumps[p->dump].threads.threads[p->thread];
}

/* ---- the same JVM */

static uint64_t address_of(const struct threaddump *d, const char *name)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const struct threaddump_thread *t = &d->threads[i];
        const char *at = t->name.len == strlen(name) && memcmp(t->name.at, name, t->name.len) == 0
                             ? dumpline_find(t->head, "tid=0x")
                             : NULL;
        if (at)
            return strtoull(at + 4, NULL, 16);
    }
    return 0;
}

/* The VM's own Java threads live as long as it does, and keep their addresses. */
static bool is_other_jvm(const struct dumpset_dump *a, const struct dumpset_dump *b)
{
    static const char *const names[] = {"Reference Handler", "Finalizer", "Signal Dispatcher"};
    if (a->about.pid[0] != '\0' && b->about.pid[0] != '\0')
        return strcmp(a->about.pid, b->about.pid) != 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint64_t x = address_of(&a->threads, names[i]), y = address_of(&b->threads, names[i]);
        if (x != 0 && y != 0)
            return x != y;
    }
    return false;
}

/* ---- threads over time */

static const struct dumpset *ordered; /* whose places are compared */

static int compare_identity(const struct dumpseries_place *x, const struct dumpseries_place *y)
{
    const struct threaddump_thread *a = &ordered->dumps[x->dump].threads.threads[x->thread];
    const struct threaddump_thread *b = &ordered->dumps[y->dump].threads.threads[y->thread];
    if (a->id != b->id)
        return (a->id > b->id) - (a->id < b->id);
    return a->id >= 0 ? 0 : threaddump_compare(a->name, b->name);
}

static int by_identity(const void *a, const void *b)
{
    const struct dumpseries_place *x = a, *y = b;
    int order = compare_identity(x, y);
    if (order == 0)
        order = (x->dump > y->dump) - (x->dump < y->dump);
    return order != 0 ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

static bool is_blocked_at(const struct dumpseries *s, const struct dumpseries_place *p)
{
    const struct dumplocks *l = &s->locks[p->dump];
    int32_t wanted = l->wanted[p->thread];
    return wanted >= 0 && l->locks[wanted].is_owned;
}

static void judge(struct dumpseries *s, struct dumpseries_thread *t)
{
    const struct dumpseries_place *p = &s->places[t->first], *last = p + t->count - 1;
    const struct threaddump_thread *begin = dumpseries_at(s, t, 0);
    const struct threaddump_thread *end = dumpseries_at(s, t, t->count - 1);
    bool is_always = t->count >= s->set->count && last->dump + 1 == s->set->count;
    t->is_blocked = is_always && begin->state.len > 0;
    t->is_same_stack = t->is_blocked && begin->count > 0;
    for (uint32_t i = 0; i < t->count; i++) {
        t->is_blocked = t->is_blocked && is_blocked_at(s, p + i);
        t->is_same_stack =
            t->is_same_stack && threaddump_compare_stacks(&s->set->dumps[p->dump].threads, begin,
                                                          &s->set->dumps[p[i].dump].threads,
                                                          dumpseries_at(s, t, i)) == 0;
    }
    double cpu = dumpseries_seconds(begin, "cpu="), cpu_end = dumpseries_seconds(end, "cpu=");
    double at = dumpseries_seconds(begin, "elapsed="), at_end = dumpseries_seconds(end, "elapsed=");
    t->cpu_s = cpu >= 0 && cpu_end >= cpu ? cpu_end - cpu : -1;
    t->elapsed_s = at >= 0 && at_end >= at ? at_end - at : -1;
    s->begun += p->dump > 0;
    s->ended += last->dump + 1 < s->set->count;
}

static void fill_places(struct dumpseries *s)
{
    for (uint32_t i = 0; i < s->set->count; i++)
        for (uint32_t n = 0; n < s->set->dumps[i].threads.count; n++)
            s->places[s->place_count++] = (struct dumpseries_place){i, n};
    ordered = s->set;
    if (s->place_count > 0)
        qsort(s->places, s->place_count, sizeof(*s->places), by_identity);
}

static int make_threads(struct dumpseries *s)
{
    fill_places(s);
    s->threads = calloc((size_t)s->place_count + 1, sizeof(*s->threads));
    if (!s->threads)
        return -ENOMEM;
    for (uint32_t i = 0, next; i < s->place_count; i = next) {
        for (next = i + 1; next < s->place_count; next++)
            if (compare_identity(&s->places[i], &s->places[next]) != 0)
                break;
        struct dumpseries_thread *t = &s->threads[s->count++];
        *t = (struct dumpseries_thread){.first = i, .count = next - i};
        judge(s, t);
    }
    return 0;
}

int dumpseries_make(const struct dumpset *set, struct dumpseries *ret)
{
    uint64_t count = 0;
    int error = 0;
    *ret = (struct dumpseries){.set = set,
                               .locks = calloc((size_t)set->count + 1, sizeof(*ret->locks))};
    if (!ret->locks)
        return -ENOMEM;
    for (uint32_t i = 0; i < set->count && error == 0; i++) {
        count += set->dumps[i].threads.count;
        ret->is_mixed = ret->is_mixed || (i > 0 && is_other_jvm(&set->dumps[0], &set->dumps[i]));
        error = dumplocks_make(&set->dumps[i].threads, &ret->locks[i]);
    }
    if (error < 0 || ret->is_mixed)
        return error;
    ret->places = calloc(count + 1, sizeof(*ret->places));
    return ret->places ? make_threads(ret) : -ENOMEM;
}

void dumpseries_done(struct dumpseries *s)
{
    for (uint32_t i = 0; s->locks && i < s->set->count; i++)
        dumplocks_done(&s->locks[i]);
    free(s->locks);
    free(s->places);
    free(s->threads);
    *s = (struct dumpseries){0};
}
