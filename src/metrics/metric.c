/*
 * metric.c - see metric.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "metrics/metric.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/plain.h"

enum { TEXT_BYTES = 16 << 20, FIRST_ROOM = 64 };

const struct metric metric_all[METRIC_COUNT] = {
#define METRIC(id, name, type, unit, labels, from, absent, help)                                   \
    {name, METRIC_TYPE_##type, METRIC_UNIT_##unit, help},
#include "metrics/metric.def"
#undef METRIC
};

const char *const metric_type_words[METRIC_TYPES] = {[METRIC_TYPE_GAUGE] = "gauge",
                                                     [METRIC_TYPE_COUNTER] = "counter",
                                                     [METRIC_TYPE_HISTOGRAM] = "histogram",
                                                     [METRIC_TYPE_INFO] = "info"};

void metric_set_init(struct metric_set *s)
{
    *s = (struct metric_set){0};
    arena_init(&s->arena, TEXT_BYTES);
}

void metric_set_done(struct metric_set *s)
{
    arena_done(&s->arena);
    free(s->jvms);
    free(s->samples);
    *s = (struct metric_set){0};
}

void metric_set_reset(struct metric_set *s)
{
    arena_reset(&s->arena);
    s->jvm_count = s->count = 0;
    s->is_bad = false;
}

/* Makes room for one more element. Returns the array, or NULL. */
static void *grow(struct metric_set *s, void *array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return array;
    uint32_t wanted = *room == 0 ? FIRST_ROOM : *room * 2;
    void *grown = reallocarray(array, wanted, size);
    if (grown)
        *room = wanted;
    else
        s->is_bad = true;
    return grown;
}

void metric_set_jvm(struct metric_set *s, const struct metric_jvm *jvm)
{
    struct metric_jvm *jvms = grow(s, s->jvms, s->jvm_count, &s->jvm_room, sizeof(*jvms));
    if (!jvms)
        return;
    s->jvms = jvms;
    jvms[s->jvm_count++] = *jvm;
}

void metric_set_drop(struct metric_set *s)
{
    if (s->jvm_count == 0)
        return;
    s->jvm_count--;
    while (s->count > 0 && s->samples[s->count - 1].jvm == (int32_t)s->jvm_count)
        s->count--;
}

void metric_set_add(struct metric_set *s, struct metric_sample sample)
{
    bool is_of_all = sample.id >= METRIC_WATCH_JVMS;
    if (isnan(sample.value) || (!is_of_all && s->jvm_count == 0))
        return;
    struct metric_sample *samples = grow(s, s->samples, s->count, &s->room, sizeof(*samples));
    if (!samples)
        return;
    s->samples = samples;
    sample.jvm = is_of_all ? METRIC_ALL_JVMS : (int32_t)s->jvm_count - 1;
    samples[s->count++] = sample;
}

void metric_set_value(struct metric_set *s, enum metric_id id, double value)
{
    metric_set_add(s, (struct metric_sample){.id = id, .value = value});
}

void metric_set_labelled(struct metric_set *s, enum metric_id id, double value, const char *name,
                         const char *label)
{
    metric_set_add(s, (struct metric_sample){.id = id, .value = value, .labels = {{name, label}}});
}

const char *metric_set_text(struct metric_set *s, const char *text)
{
    size_t room = strlen(text) + 1;
    if (room > METRIC_NAME)
        room = METRIC_NAME;
    char *copy = arena_alloc(&s->arena, room);
    if (!copy)
        return "?";
    plain_copy(copy, room, text);
    return copy;
}
