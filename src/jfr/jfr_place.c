/*
 * jfr_place.c - see jfr_place.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_place.h"
#include "jfr/jfr_around.h"
#include "jfr/jfr_jvm.h"
#include "jfr/jfr_value.h"

uint64_t jfr_place_jvm(const struct jfr_chunk *c)
{
    struct jfr_jvm jvm;
    if (!jfr_jvm_read(c, &jvm))
        return 0;
    return ((uint64_t)jvm.start_ms << 22 ^ jvm.pid) * UINT64_C(0x9e3779b97f4a7c15);
}

/* `java` and `os` are the paths of the thread's Java id and of its kernel id. */
static bool place_by(const struct jfr_chunk *c, uint64_t jvm, const struct jfr_value *event,
                     const char *java, const char *os, struct jfr_place *ret)
{
    struct jfr_value start, duration, java_id, os_id;
    if (!jfr_value_named(c, event, java, &java_id) || java_id.shape != JFR_NUMBER)
        return false;
    jfr_value_named(c, event, os, &os_id);
    jfr_value_named(c, event, "startTime", &start);
    jfr_value_named(c, event, "duration", &duration);
    ret->thread = java_id.number > 0 ? (uint64_t)java_id.number << 1
                                     : (uint64_t)jfr_value_number(&os_id) << 1 | 1;
    ret->thread += jvm;
    ret->start_ns = jfr_chunk_time_ns(c, start.number);
    ret->end_ns = jfr_chunk_time_ns(
        c, (int64_t)((uint64_t)start.number + (uint64_t)jfr_value_number(&duration)));
    return true;
}

bool jfr_place_of(const struct jfr_chunk *c, uint64_t jvm, const struct jfr_value *event,
                  struct jfr_place *ret)
{
    return place_by(c, jvm, event, "eventThread.javaThreadId", "eventThread.osThreadId", ret);
}

bool jfr_place_shown(const struct jfr_chunk *c, uint64_t jvm, const struct jfr_value *event,
                     struct jfr_place *ret)
{
    return jfr_place_of(c, jvm, event, ret) ||
           place_by(c, jvm, event, "sampledThread.javaThreadId", "sampledThread.osThreadId", ret);
}

const char *jfr_place_around(const struct jfr_chunk *c, uint64_t jvm, const struct jfr_value *event,
                             const struct jfr_around *all)
{
    struct jfr_place place;
    if (!jfr_place_shown(c, jvm, event, &place))
        return NULL;
    return jfr_around_find(all, place.thread, place.start_ns, place.end_ns);
}
