/*
 * jfr_around.h - the event that encloses another one: of the same thread, begun before it and ended
 * behind it; of several the innermost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct jfr_around_span {
    uint64_t thread;
    int64_t start_ns, end_ns;
    size_t parent; /* span + 1 of the thread that was there when it began; 0: none */
    size_t longer; /* of the parents, the nearest that ends later, + 1; 0: none */
    size_t jump;   /* one that is reached from there by `longer`, + 1: halves the way */
    size_t height; /* how many are */
    char *text;
};

struct jfr_around {
    struct jfr_around_span *spans;
    size_t count, room;
    int error; /* 0 or -ENOMEM */
};

/** Adds an event; `text` is copied. */
void jfr_around_add(struct jfr_around *a, uint64_t thread, int64_t start_ns, int64_t end_ns,
                    const char *text, size_t len);
/** Once all are there, or once more after some have been added. */
void jfr_around_sort(struct jfr_around *a);
/** The text of the event around this one; NULL: none is. */
const char *jfr_around_find(const struct jfr_around *a, uint64_t thread, int64_t start_ns,
                            int64_t end_ns);
/**
 * The texts of all events of the thread that had begun at this moment and not ended, the first one
 * first; of more than `max` the last ones. Returns how many.
 */
size_t jfr_around_at(const struct jfr_around *a, uint64_t thread, int64_t time_ns,
                     const char **ret_texts, size_t max);
void jfr_around_done(struct jfr_around *a);
