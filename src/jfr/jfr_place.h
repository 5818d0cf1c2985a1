/*
 * jfr_place.h - which thread committed an event, and when.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct jfr_around;
struct jfr_chunk;
struct jfr_value;

struct jfr_place {
    uint64_t thread; /* a number that no other thread of any JVM has */
    int64_t start_ns, end_ns;
};

/** A number for the JVM of the chunk, to be added to the numbers of its threads. The numbers of
 * two JVMs are far apart, so their threads do not get equal numbers. Returns 0 if the JVM is
 * unknown. */
uint64_t jfr_place_jvm(const struct jfr_chunk *c);
/** The thread and the time of an event of that JVM. Returns false if the event has no thread. */
bool jfr_place_of(const struct jfr_chunk *c, uint64_t jvm, const struct jfr_value *event,
                  struct jfr_place *ret);
/** Like jfr_place_of(); a sample of a thread counts as an event of the thread that was sampled. */
bool jfr_place_shown(const struct jfr_chunk *c, uint64_t jvm, const struct jfr_value *event,
                     struct jfr_place *ret);
/** The text of the event that encloses an event of that JVM (see jfr_place_shown()); NULL: there is
 * none. */
const char *jfr_place_around(const struct jfr_chunk *c, uint64_t jvm, const struct jfr_value *event,
                             const struct jfr_around *all);
