/*
 * jfr_nanotime.c - see jfr_nanotime.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_nanotime.h"
#include <string.h>
#include <time.h>
#include "base/window.h"
#include "jfr/jfr_chunk.h"
#include "jfr/jfr_value.h"
#include "safe/clock.h"

enum {
    /* tolerance between the start of the JVM, which is in ms, and its first tick */
    APART_NS = NS_PER_S,
};

/* When the JVM began, in ns since the epoch. Returns false if the chunk does not say so. */
static bool find_start(const struct jfr_chunk *c, int64_t *ret_ns)
{
    struct jfr_record record;
    struct jfr_value start;
    for (size_t at = JFR_LAYOUT_HEADER; jfr_chunk_record(c->bytes, c->len, at, &record) > 0;
         at += record.size) {
        const struct jfr_type *type = jfr_chunk_type(c, record.type_id);
        if (!type || strcmp(type->known_as, "jdk.JVMInformation") != 0)
            continue;
        const struct jfr_value event = jfr_value_event(type, &record);
        if (jfr_value_named(c, &event, "jvmStartTime", &start) && start.shape == JFR_NUMBER &&
            start.number > 0 && start.number < INT64_MAX / NS_PER_MS) {
            *ret_ns = start.number * NS_PER_MS;
            return true;
        }
    }
    return false;
}

static bool are_near(int64_t a_ns, int64_t b_ns)
{
    double apart_ns = (double)(int64_t)((uint64_t)a_ns - (uint64_t)b_ns);
    return apart_ns < APART_NS && apart_ns > -APART_NS;
}

bool jfr_nanotime_is_from_start(const struct jfr_chunk *c)
{
    const struct jfr_header *h = &c->header;
    int64_t start_ns;
    return h->ticks_per_second == NS_PER_S && find_start(c, &start_ns) &&
           are_near((int64_t)((uint64_t)h->start_ns - (uint64_t)start_ns), h->start_ticks);
}

static int64_t read_clock(clockid_t clock)
{
    return (int64_t)clock_ns(clock);
}

/* A chunk that is being written may not say yet when its JVM began. Then it must be a chunk of this
 * machine, so its ticks are compared with this machine's clocks. */
enum jfr_nanotime jfr_nanotime_at_clock(const struct jfr_chunk *c, int64_t *ret_ns)
{
    int64_t booted_ns = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC), start_ns;
    bool is_older = c->clock.ns < booted_ns, has_start = find_start(c, &start_ns);
    *ret_ns = c->clock.ticks;
    if (c->header.ticks_per_second == NS_PER_S && !jfr_nanotime_is_from_start(c) &&
        (has_start || is_older || are_near(c->clock.ns - booted_ns, c->clock.ticks)))
        return JFR_NANOTIME_TICKS;
    if (is_older)
        return JFR_NANOTIME_UNKNOWN;
    *ret_ns = c->clock.ns - booted_ns;
    return JFR_NANOTIME_RECKONED;
}

int jfr_nanotime_resolve(struct window *w, const struct jfr_chunk *c)
{
    struct window_clock clock = {.start_ns = c->clock.ns};
    if (!w->is_resolved && (w->from.kind == WINDOW_NANOTIME || w->to.kind == WINDOW_NANOTIME))
        clock.has_nanotime = jfr_nanotime_at_clock(c, &clock.nanotime_ns) != JFR_NANOTIME_UNKNOWN;
    return window_resolve(w, &clock);
}
