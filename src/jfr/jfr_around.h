/*
 * jfr_around.h - the event that encloses another event.
 *
 * An event A encloses an event B if A is an event of the same thread, began before B and ended
 * after B. If several events enclose B, the innermost counts.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct jfr_around_span {
    uint64_t thread;
    int64_t start_ns, end_ns;
    /* the innermost span of the thread that had not ended when this one began: its index + 1; 0:
     * none */
    size_t parent;
    /* the nearest parent (or parent of a parent...) that ends later than this span: its index + 1;
     * 0: none */
    size_t longer;
    /* a span further up the chain of `longer`: its index + 1. Jumps make a search take logarithmic
     * time. */
    size_t jump;
    size_t height; /* length of the chain of `longer` from here, this span included */
    char *text;
};

struct jfr_around {
    struct jfr_around_span *spans;
    size_t count, room;
    int error; /* 0 or -ENOMEM */
};

/** Add an event; `text` is copied. */
void jfr_around_add(struct jfr_around *a, uint64_t thread, int64_t start_ns, int64_t end_ns,
                    const char *text, size_t len);
/**
 * Sort the events. Call it when all events are added, and again when more were added after that.
 */
void jfr_around_sort(struct jfr_around *a);
/** The text of the event that encloses the given span; NULL: there is none. */
const char *jfr_around_find(const struct jfr_around *a, uint64_t thread, int64_t start_ns,
                            int64_t end_ns);
/**
 * The texts of all events of the thread that had begun at this moment and had not ended, outermost
 * first. If there are more than `max`, the innermost ones are kept. Returns how many texts.
 */
size_t jfr_around_at(const struct jfr_around *a, uint64_t thread, int64_t time_ns,
                     const char **ret_texts, size_t max);
void jfr_around_done(struct jfr_around *a);
