/*
 * jfr_around.c - see jfr_around.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_around.h"
#include <errno.h>
#include <stdbool.h>
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
    a->spans[a->count++] = (struct jfr_around_span){
        .thread = thread, .start_ns = start_ns, .end_ns = end_ns, .text = copy};
}

/* The order is by thread, then by start. If spans begin together the longest comes first, because
 * it encloses the others. */
static int compare(const void *a, const void *b)
{
    const struct jfr_around_span *x = a, *y = b;
    if (x->thread != y->thread)
        return (x->thread > y->thread) - (x->thread < y->thread);
    if (x->start_ns != y->start_ns)
        return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

/* The first span that ends at or after `end_ns`, on the chain from the span `at` upwards. Spans are
 * given as index + 1. */
static size_t first_to_end(const struct jfr_around *a, size_t at, int64_t end_ns)
{
    while (at > 0 && a->spans[at - 1].end_ns < end_ns) {
        const struct jfr_around_span *s = &a->spans[at - 1];
        bool may_jump = s->jump > 0 && a->spans[s->jump - 1].end_ns < end_ns;
        at = may_jump ? s->jump : s->longer;
    }
    return at;
}

static size_t height_of(const struct jfr_around *a, size_t at)
{
    return at > 0 ? a->spans[at - 1].height : 0;
}

static size_t jump_of(const struct jfr_around *a, size_t at)
{
    return at > 0 ? a->spans[at - 1].jump : 0;
}

/*
 * Computes `longer`, `jump` and `height`. A thread may have a hundred thousand nested spans, so
 * each span gets a jump; two jumps of the same length are joined into one.
 * Source: Myers, An applicative random-access stack, 1983.
 */
static void find_longer(const struct jfr_around *a, struct jfr_around_span *s)
{
    size_t jump, beyond;
    s->longer = s->end_ns < INT64_MAX ? first_to_end(a, s->parent, s->end_ns + 1) : 0;
    jump = jump_of(a, s->longer);
    beyond = jump_of(a, jump);
    bool are_alike =
        height_of(a, s->longer) - height_of(a, jump) == height_of(a, jump) - height_of(a, beyond);
    s->jump = are_alike ? beyond : s->longer;
    s->height = height_of(a, s->longer) + 1;
}

void jfr_around_sort(struct jfr_around *a)
{
    if (a->count == 0)
        return;
    qsort(a->spans, a->count, sizeof(*a->spans), compare);
    a->spans[0].parent = a->spans[0].longer = a->spans[0].jump = 0;
    a->spans[0].height = 1;
    for (size_t i = 1; i < a->count; i++) {
        struct jfr_around_span *s = &a->spans[i];
        size_t at = i;
        while (at > 0 &&
               (a->spans[at - 1].thread != s->thread || a->spans[at - 1].end_ns < s->start_ns))
            at = a->spans[at - 1].thread == s->thread ? a->spans[at - 1].parent : 0;
        s->parent = at;
        find_longer(a, s);
    }
}

/* The last span (index + 1) of the thread that begins at or before this moment; 0: none. A span
 * that was open at this moment is this one, or was open when this one began. */
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
    size_t at = first_to_end(a, last_begun(a, thread, start_ns), end_ns);
    return at > 0 ? a->spans[at - 1].text : NULL;
}

size_t jfr_around_at(const struct jfr_around *a, uint64_t thread, int64_t time_ns,
                     const char **ret_texts, size_t max)
{
    size_t at = first_to_end(a, last_begun(a, thread, time_ns), time_ns);
    size_t count = 0;
    for (; at > 0 && count < max; at = first_to_end(a, a->spans[at - 1].parent, time_ns))
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
