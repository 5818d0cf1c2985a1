/*
 * jfr_place.h - who committed an event, and when.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct jfr_around;
struct jfr_chunk;
struct jfr_value;

struct jfr_place {
    uint64_t thread; /* a number of its own for each thread of each JVM */
    int64_t start_ns, end_ns;
};

/** A number for the JVM of the chunk that leaves its threads far from those of any other; 0:
 * unknown. */
uint64_t jfr_place_jvm(const struct jfr_chunk *c);
/** Where an event of that JVM was. Returns false where the event has no thread. */
bool jfr_place_of(const struct jfr_chunk *c, uint64_t jvm, const struct jfr_value *event,
                  struct jfr_place *ret);
/** The same, and a sample is on the thread that it shows. */
bool jfr_place_shown(const struct jfr_chunk *c, uint64_t jvm, const struct jfr_value *event,
                     struct jfr_place *ret);
/** The text of the event around one of that JVM, by jfr_place_shown(); NULL: none is. */
const char *jfr_place_around(const struct jfr_chunk *c, uint64_t jvm, const struct jfr_value *event,
                             const struct jfr_around *all);
