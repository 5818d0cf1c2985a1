/*
 * jfr_around.c - see jfr_around.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_around.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 256 };

void jfr_around_add(struct jfr_around *a, uint64_t thread, int64_t start_ns, int64_t end_ns,
                    const char *text, size_t len)
{
    char *copy = strndup(text, len);

    if (a->count == a->room) {
        size_t room = a->room > 0 ? a->room * 2 : ROOM_MIN;
        struct jfr_around_span *spans = realloc(a->spans, room * sizeof(*spans));

        if (spans) {
            a->spans = spans;
            a->room = room;
        }
    }
    if (!copy || a->count == a->room) {
        free(copy);
        a->error = -ENOMEM;
        return;
    }
    a->spans[a->count++] = (struct jfr_around_span){thread, start_ns, end_ns, 0, copy};
}

/* By thread and start; of those that begin together the longest first, for it is around the others.
 */
static int compare(const void *a, const void *b)
{
    const struct jfr_around_span *x = a, *y = b;

    if (x->thread != y->thread)
        return (x->thread > y->thread) - (x->thread < y->thread);
    if (x->start_ns != y->start_ns)
        return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

void jfr_around_sort(struct jfr_around *a)
{
    if (a->count == 0)
        return;
    qsort(a->spans, a->count, sizeof(*a->spans), compare);
    a->spans[0].parent = 0;
    for (size_t i = 1; i < a->count; i++) {
        struct jfr_around_span *s = &a->spans[i];
        size_t at = i;

        while (at > 0 &&
               (a->spans[at - 1].thread != s->thread || a->spans[at - 1].end_ns < s->start_ns))
            at = a->spans[at - 1].thread == s->thread ? a->spans[at - 1].parent : 0;
        s->parent = at;
    }
}

/* The last span + 1 that begins no later. What was there at this moment is that one, or was there
 * when it began. */
static size_t last_begun(const struct jfr_around *a, uint64_t thread, int64_t start_ns)
{
    size_t low = 0, high = a->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct jfr_around_span *s = &a->spans[middle];

        if (s->thread < thread || (s->thread == thread && s->start_ns <= start_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && a->spans[low - 1].thread == thread ? low : 0;
}

const char *jfr_around_find(const struct jfr_around *a, uint64_t thread, int64_t start_ns,
                            int64_t end_ns)
{
    size_t at = last_begun(a, thread, start_ns);

    for (; at > 0; at = a->spans[at - 1].parent)
        if (a->spans[at - 1].end_ns >= end_ns)
            return a->spans[at - 1].text;
    return NULL;
}

size_t jfr_around_at(const struct jfr_around *a, uint64_t thread, int64_t time_ns,
                     const char **ret_texts, size_t max)
{
    size_t count = 0;

    for (size_t at = last_begun(a, thread, time_ns); at > 0 && count < max;
         at = a->spans[at - 1].parent)
        if (a->spans[at - 1].end_ns >= time_ns)
            ret_texts[count++] = a->spans[at - 1].text;
    for (size_t i = 0; i < count / 2; i++) {
        const char *text = ret_texts[i];

        ret_texts[i] = ret_texts[count - 1 - i];
        ret_texts[count - 1 - i] = text;
    }
    return count;
}

void jfr_around_done(struct jfr_around *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->spans[i].text);
    free(a->spans);
    *a = (struct jfr_around){0};
}
