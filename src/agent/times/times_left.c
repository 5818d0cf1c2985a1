/*
 * times_left.c - see times_left.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_left.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/arena.h"
#include "base/plain.h"
#include "base/sink.h"
#include "format/hprof_out.h"

enum { BYTES_MAX = 64 << 20 };

struct left {
    struct left *next;
    enum instrument_verdict why;
    char text[]; /* java.lang.Math.max(II)I */
};

static struct {
    pthread_mutex_t lock;
    struct arena arena;
    struct left *fresh; /* not written yet */
    uint32_t fresh_count, counts[INSTRUMENT_VERDICT_COUNT];
} left = {.lock = PTHREAD_MUTEX_INITIALIZER, .arena = {.budget = BYTES_MAX}};

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

void times_left_add(struct cpool_utf8 class_name, struct cpool_utf8 name, struct cpool_utf8 desc,
                    enum instrument_verdict why)
{
    size_t len = (size_t)class_name.len + 1 + name.len + desc.len + 1;
    struct left *l;
    char *to;

    pthread_mutex_lock(&left.lock);
    left.counts[why]++;
    l = arena_alloc(&left.arena, sizeof(*l) + len);
    if (l) {
        l->why = why;
        to = l->text;
        for (uint16_t i = 0; i < class_name.len; i++)
            *to++ = class_name.bytes[i] == '/' ? '.' : class_name.bytes[i];
        *to++ = '.';
        to = mempcpy(to, name.bytes, name.len);
        mempcpy(to, desc.bytes, desc.len);
        l->next = left.fresh;
        left.fresh = l;
        left.fresh_count++;
    }
    pthread_mutex_unlock(&left.lock);
}

uint32_t times_left_count_of(enum instrument_verdict why)
{
    uint32_t n;

    pthread_mutex_lock(&left.lock);
    n = left.counts[why];
    pthread_mutex_unlock(&left.lock);
    return n;
}

uint32_t times_left_count(void)
{
    uint32_t n = 0;

    for (int i = 0; i < INSTRUMENT_VERDICT_COUNT; i++)
        n += times_left_count_of((enum instrument_verdict)i);
    return n;
}

/* By reason, then by name. */
static int by_reason(const void *a, const void *b)
{
    const struct left *l = *(struct left *const *)a, *r = *(struct left *const *)b;

    if (l->why != r->why)
        return l->why < r->why ? -1 : 1;
    return strcmp(l->text, r->text);
}

void times_left_write(struct hprof_out *o)
{
    struct left **rows, *l;
    uint32_t count;

    pthread_mutex_lock(&left.lock);
    l = left.fresh;
    count = left.fresh_count;
    left.fresh = NULL;
    left.fresh_count = 0;
    pthread_mutex_unlock(&left.lock);
    rows = count ? malloc(count * sizeof(struct left *)) : NULL;
    if (!rows)
        return;
    for (uint32_t i = 0; i < count && l; i++, l = l->next)
        rows[i] = l;
    qsort(rows, count, sizeof(struct left *), by_reason);
    sink_printf(o->sink, "NOT TIMED BEGIN (methods = %u)\n", count);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || rows[i]->why != rows[i - 1]->why)
            sink_printf(o->sink, "  %s:\n", instrument_verdict_text(rows[i]->why));
        sink_text(o->sink, "\t");
        plain_put(o->sink, rows[i]->text, strlen(rows[i]->text));
        sink_text(o->sink, "\n");
    }
    sink_text(o->sink, "NOT TIMED END\n");
    free(rows);
}
