/*
 * top_choice.h - what the user of `hprof top` wants to see.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct top_thread;

enum top_choice_sort {
    TOP_CHOICE_CPU,
    TOP_CHOICE_MEM, /* the allocation rate of a thread, or the heap of a JVM */
    TOP_CHOICE_NAME,
    TOP_CHOICE_ID, /* the number of the thread, or of the process */
};

struct top_choice {
    enum top_choice_sort sort;
    const char *filter; /* NULL: all */
    uint32_t first;     /* number of rows that are skipped */
    uint32_t rows;      /* 0: all */
    uint32_t methods;   /* number of the hottest methods; 0: none */
    uint32_t frames;    /* number of frames of each thread */
    uint32_t columns;   /* 0: no limit */
};

/** Parses the word of an order. Errors: 0; -EINVAL. */
int top_choice_parse_sort(const char *word, enum top_choice_sort *ret);
const char *top_choice_word(enum top_choice_sort sort);
/** Whether the text contains the filter, ignoring case. */
bool top_choice_has(const struct top_choice *c, const char *text);
/** Whether the thread passes the filter: its name, its state or one of its shown frames contains
 * it. */
bool top_choice_has_thread(const struct top_choice *c, const struct top_thread *thread);
void top_choice_sort_threads(const struct top_choice *c, struct top_thread *threads,
                             uint32_t count);
