/*
 * top_choice.c - see top_choice.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "top/top_choice.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "top/top_page.h"

static const char *const words[] = {
    [TOP_CHOICE_CPU] = "cpu",
    [TOP_CHOICE_MEM] = "mem",
    [TOP_CHOICE_NAME] = "name",
    [TOP_CHOICE_ID] = "id",
};

int top_choice_parse_sort(const char *word, enum top_choice_sort *ret)
{
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(word, words[i]) == 0) {
            *ret = (enum top_choice_sort)i;
            return 0;
        }
    }
    return -EINVAL;
}

const char *top_choice_word(enum top_choice_sort sort)
{
    return words[sort];
}

bool top_choice_has(const struct top_choice *c, const char *text)
{
    return !c->filter || (text && strcasestr(text, c->filter));
}

bool top_choice_has_thread(const struct top_choice *c, const struct top_thread *thread)
{
    bool has = top_choice_has(c, thread->name) || top_choice_has(c, thread->state);
    for (uint32_t i = 0; !has && i < thread->frame_count && i < c->frames; i++)
        has = top_choice_has(c, thread->frames[i]);
    return has;
}

static int larger(double a, double b)
{
    return (a < b) - (a > b);
}

static int by_id(const void *a, const void *b)
{
    const struct top_thread *x = a, *y = b;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

static int by_name(const void *a, const void *b)
{
    const struct top_thread *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : by_id(a, b);
}

static int by_cpu(const void *a, const void *b)
{
    const struct top_thread *x = a, *y = b;
    int order = larger(x->cpu_percent, y->cpu_percent);
    return order != 0 ? order : by_id(a, b);
}

static int by_mem(const void *a, const void *b)
{
    const struct top_thread *x = a, *y = b;
    int order = larger(x->alloc_rate, y->alloc_rate);
    return order != 0 ? order : by_cpu(a, b);
}

void top_choice_sort_threads(const struct top_choice *c, struct top_thread *threads, uint32_t count)
{
    static int (*const orders[])(const void *, const void *) = {
        [TOP_CHOICE_CPU] = by_cpu,
        [TOP_CHOICE_MEM] = by_mem,
        [TOP_CHOICE_NAME] = by_name,
        [TOP_CHOICE_ID] = by_id,
    };
    if (count > 0)
        qsort(threads, count, sizeof(*threads), orders[c->sort]);
}
