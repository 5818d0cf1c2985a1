/*
 * times_left.c - see times_left.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_left.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "agent/recording/recording.h"
#include "agent/times/times_node.h"
#include "base/arena.h"
#include "base/fnv.h"
#include "base/lock.h"

enum { BYTES_MAX = 64 << 20, BUCKETS = 1024 };

struct left {
    struct left *next;      /* the method that was added before */
    struct left *neighbour; /* the next in its bucket */
    enum instrument_verdict why;
    uint16_t class_len;
    char text[]; /* java.lang.Math.max(II)I */
};

static struct {
    struct lock lock;
    struct arena arena;
    struct left *newest;
    struct left *buckets[BUCKETS]; /* all noted methods, by hash of the text */
    uint32_t count, counts[INSTRUMENT_VERDICT_COUNT];
    uint32_t written[TIMES_NODE_PLACES]; /* how many were written for the recording at a place */
} left = {.lock = LOCK_INIT(LEFT), .arena = {.budget = BYTES_MAX}};

static const struct {
    const char *class_name, *name, *desc;
    enum times_left_intrinsic kind;
} intrinsics[] = {
#define I(can, id, class_name, name, desc)                                                         \
    {class_name, name, desc, (can) ? TIMES_LEFT_CAN_BE_OFF : TIMES_LEFT_IS_FIXED},
#include "agent/times/times_intrinsics.def"
#undef I
};

const char times_left_ids_8[] =
#define I(can, id, class_name, name, desc)                                                         \
    id "," /* NOLINT(bugprone-macro-parentheses): joins literals */
#include "agent/times/times_intrinsics.def"
#undef I
    ;

enum times_left_intrinsic times_left_intrinsic_8(const struct instrument_method *m)
{
    for (size_t i = 0; i < sizeof(intrinsics) / sizeof(intrinsics[0]); i++)
        if (cpool_utf8_is(m->class_name, intrinsics[i].class_name) &&
            cpool_utf8_is(m->name, intrinsics[i].name) &&
            cpool_utf8_is(m->desc, intrinsics[i].desc))
            return intrinsics[i].kind;
    return TIMES_LEFT_NO_INTRINSIC;
}

static char *put_class(char *to, struct cpool_utf8 class_name)
{
    for (uint16_t i = 0; i < class_name.len; i++)
        *to++ = class_name.bytes[i] == '/' ? '.' : class_name.bytes[i];
    return to;
}

static bool is_method(const struct left *l, struct cpool_utf8 class_name, struct cpool_utf8 name,
                      struct cpool_utf8 desc)
{
    const char *dot = l->text + l->class_len;
    for (uint16_t i = 0; l->class_len == class_name.len && i < class_name.len; i++)
        if (l->text[i] != class_name.bytes[i] && !(l->text[i] == '.' && class_name.bytes[i] == '/'))
            return false;
    return l->class_len == class_name.len && strncmp(dot + 1, name.bytes, name.len) == 0 &&
           strncmp(dot + 1 + name.len, desc.bytes, desc.len) == 0 && !dot[1 + name.len + desc.len];
}

/* Needs the lock. */
static void add(struct left **bucket, struct cpool_utf8 class_name, struct cpool_utf8 name,
                struct cpool_utf8 desc, enum instrument_verdict why)
{
    size_t len = (size_t)class_name.len + 1 + name.len + desc.len + 1;
    struct left *l = arena_alloc(&left.arena, sizeof(*l) + len);
    char *to;
    left.counts[why]++;
    if (!l)
        return;
    *l = (struct left){
        .next = left.newest, .neighbour = *bucket, .why = why, .class_len = class_name.len};
    to = put_class(l->text, class_name);
    *to++ = '.';
    to = mempcpy(to, name.bytes, name.len);
    mempcpy(to, desc.bytes, desc.len);
    *bucket = left.newest = l;
    left.count++;
}

void times_left_add(struct cpool_utf8 class_name, struct cpool_utf8 name, struct cpool_utf8 desc,
                    enum instrument_verdict why)
{
    uint64_t of_class = fnv_add(FNV_START, class_name.bytes, class_name.len);
    uint64_t h = fnv_end(fnv_add(of_class, name.bytes, name.len));
    struct left **bucket = &left.buckets[h % BUCKETS];
    const struct left *l;
    lock_take(&left.lock);
    for (l = *bucket; l && !is_method(l, class_name, name, desc);)
        l = l->neighbour;
    if (!l)
        add(bucket, class_name, name, desc, why);
    lock_give(&left.lock);
}

uint32_t times_left_count_of(enum instrument_verdict why)
{
    uint32_t n;
    lock_take(&left.lock);
    n = left.counts[why];
    lock_give(&left.lock);
    return n;
}

uint32_t times_left_count(void)
{
    uint32_t n = 0;
    for (int i = 0; i < INSTRUMENT_VERDICT_COUNT; i++)
        n += times_left_count_of((enum instrument_verdict)i);
    return n;
}

void times_left_forget(void)
{
    lock_take(&left.lock);
    arena_done(&left.arena);
    left.newest = NULL;
    left.count = 0;
    memset(left.buckets, 0, sizeof(left.buckets));
    memset(left.counts, 0, sizeof(left.counts));
    memset(left.written, 0, sizeof(left.written));
    lock_give(&left.lock);
}

void times_left_join(int place)
{
    lock_take(&left.lock);
    left.written[place] = 0;
    lock_give(&left.lock);
}

/* Orders by reason, then by name. */
static int by_reason(const void *a, const void *b)
{
    const struct left *l = *(struct left *const *)a, *r = *(struct left *const *)b;
    if (l->why != r->why)
        return l->why < r->why ? -1 : 1;
    return strcmp(l->text, r->text);
}

void times_left_write(struct recording *r)
{
    struct left **lefts, *l;
    struct writer_untimed *rows;
    uint32_t count;
    lock_take(&left.lock);
    l = left.newest;
    count = left.count - left.written[r->place];
    left.written[r->place] = left.count;
    lock_give(&left.lock);
    lefts = count ? malloc(count * sizeof(struct left *)) : NULL;
    rows = count ? malloc(count * sizeof(*rows)) : NULL;
    for (uint32_t i = 0; lefts && i < count && l; i++, l = l->next)
        lefts[i] = l;
    if (lefts)
        qsort(lefts, count, sizeof(struct left *), by_reason);
    for (uint32_t i = 0; lefts && rows && i < count; i++)
        rows[i] = (struct writer_untimed){instrument_verdict_text(lefts[i]->why), lefts[i]->text};
    if (lefts && rows)
        recording_untimed(r, rows, count);
    free(rows);
    free(lefts);
}
