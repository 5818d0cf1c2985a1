/*
 * probe_open.c - see probe_open.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_open.h"
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, FIRST_ROOM = 4 };

/* What one thread has begun of one pair, the youngest last. A stack that becomes empty is freed. */
struct stack {
    struct stack *next; /* in the bucket */
    pid_t tid;
    uint32_t pair;
    uint32_t count, room;
    uint32_t skipped; /* begins above the last one that found no room; their ends come first */
    struct probe_open_hit *begins;
};

struct probe_open {
    void (*release)(void *kept);
    struct stack *buckets[BUCKETS]; /* by thread */
    uint32_t count;                 /* begins that wait */
    struct probe_open_counts counts;
};

struct probe_open *probe_open_new(void (*release)(void *kept))
{
    struct probe_open *o = calloc(1, sizeof(*o));
    if (o)
        o->release = release;
    return o;
}

static struct stack **bucket_of(struct probe_open *o, pid_t tid)
{
    return &o->buckets[(uint32_t)tid % BUCKETS];
}

/* The link that leads to the stack; *link is NULL if there is none. */
static struct stack **find(struct probe_open *o, pid_t tid, uint32_t pair)
{
    struct stack **link = bucket_of(o, tid);
    while (*link && ((*link)->tid != tid || (*link)->pair != pair))
        link = &(*link)->next;
    return link;
}

static void remove_stack(struct stack **link)
{
    struct stack *s = *link;
    *link = s->next;
    free(s->begins);
    free(s);
}

/* Give up the begins of a stack from the index `from` on. Returns how many. */
static uint32_t give_up(struct probe_open *o, struct stack *s, uint32_t from)
{
    uint32_t count = s->count - from;
    for (uint32_t i = from; i < s->count; i++)
        if (s->begins[i].kept)
            o->release(s->begins[i].kept);
    s->count = from;
    o->count -= count;
    return count;
}

/* ---- begins */

/* A stack with room for one more begin; NULL: there is none. */
static struct stack *make_room(struct stack **link, const struct probe_open_hit *hit)
{
    struct stack *s = *link;
    if (!s) {
        s = calloc(1, sizeof(*s));
        if (!s)
            return NULL;
        s->tid = hit->tid;
        s->pair = hit->pair;
        *link = s;
    }
    if (s->count == s->room) {
        uint32_t room = s->room ? s->room * 2 : FIRST_ROOM;
        struct probe_open_hit *begins = reallocarray(s->begins, room, sizeof(*begins));
        if (!begins)
            return NULL;
        s->begins = begins;
        s->room = room;
    }
    return s;
}

void probe_open_begin(struct probe_open *o, const struct probe_open_hit *hit)
{
    struct stack **link = find(o, hit->tid, hit->pair), *s = *link;
    /* What lies as deep as this call or deeper has returned unseen, unless a function has jumped
     * to another one, which has the return address of the first. */
    while (s && hit->by == PROBE_OPEN_BY_RETURN && s->count > 0 &&
           s->begins[s->count - 1].keys[0] < hit->keys[0])
        o->counts.skipped += give_up(o, s, s->count - 1);
    bool has_room = o->count < PROBE_OPEN_MOST && !(s && s->count >= PROBE_OPEN_DEPTH);
    s = has_room ? make_room(link, hit) : NULL;
    if (!s) {
        o->counts.full++;
        if (*link)
            (*link)->skipped++;
        if (hit->kept)
            o->release(hit->kept);
        return;
    }
    s->begins[s->count++] = *hit;
    o->count++;
}

/* ---- ends */

/* The index of the begin, counted from 1; 0: there is none. */
static uint32_t find_begin(struct probe_open *o, struct stack *s, const struct probe_open_hit *hit)
{
    if (hit->by == PROBE_OPEN_BY_RETURN)
        while (s->count > 0 && s->begins[s->count - 1].keys[0] < hit->keys[0])
            o->counts.skipped += give_up(o, s, s->count - 1);
    for (uint32_t i = s->count; i > 0; i--)
        if (hit->by == PROBE_OPEN_NESTED ||
            memcmp(s->begins[i - 1].keys, hit->keys, sizeof(hit->keys)) == 0)
            return s->begins[i - 1].time_ns <= hit->time_ns ? i : 0;
    return 0;
}

bool probe_open_end(struct probe_open *o, const struct probe_open_hit *hit,
                    struct probe_open_hit *ret)
{
    struct stack **link = find(o, hit->tid, hit->pair), *s = *link;
    if (s && s->skipped > 0 && hit->by != PROBE_OPEN_BY_RETURN) {
        s->skipped--; /* the end of a begin that was counted as `full` */
        return false;
    }
    uint32_t i = s ? find_begin(o, s, hit) : 0;
    if (i > 0) {
        *ret = s->begins[i - 1];
        memmove(s->begins + i - 1, s->begins + i, (s->count - i) * sizeof(*s->begins));
        s->count--;
        o->count--;
        o->counts.matched++;
    } else {
        o->counts.ends++;
    }
    if (s && s->count == 0)
        remove_stack(link);
    return i > 0;
}

static bool is_better(const struct probe_open_hit *a, const struct probe_open_hit *b)
{
    return !b || a->keys[0] < b->keys[0] || (a->keys[0] == b->keys[0] && a->time_ns > b->time_ns);
}

const struct probe_open_hit *probe_open_call(const struct probe_open *o, pid_t tid,
                                             uint64_t address, bool is_above)
{
    const struct probe_open_hit *best = NULL;
    for (const struct stack *s = o->buckets[(uint32_t)tid % BUCKETS]; s; s = s->next)
        for (uint32_t i = s->count; s->tid == tid && i > 0; i--) {
            const struct probe_open_hit *b = &s->begins[i - 1];
            bool fits = is_above ? b->keys[0] > address : b->keys[0] == address;
            if (b->by == PROBE_OPEN_BY_RETURN && fits && b->return_to && is_better(b, best))
                best = b;
        }
    return best;
}

/* ---- what has no end */

void probe_open_exit(struct probe_open *o, pid_t tid)
{
    for (struct stack **link = bucket_of(o, tid); *link;) {
        if ((*link)->tid != tid) {
            link = &(*link)->next;
            continue;
        }
        o->counts.exited += give_up(o, *link, 0);
        remove_stack(link);
    }
}

void probe_open_forget(struct probe_open *o)
{
    for (uint32_t i = 0; i < BUCKETS; i++)
        while (o->buckets[i]) {
            o->counts.lost += give_up(o, o->buckets[i], 0);
            remove_stack(&o->buckets[i]);
        }
}

void probe_open_free(struct probe_open *o)
{
    if (o)
        probe_open_forget(o);
    free(o);
}

struct probe_open_counts probe_open_counts(const struct probe_open *o)
{
    struct probe_open_counts counts = o->counts;
    counts.waiting = o->count;
    return counts;
}
