/*
 * metric.h - the metrics as rows, and one reading of all JVMs: a list of samples.
 *
 * The rows are metric.def. A reading (struct metric_set) is filled JVM by JVM, and written by
 * metric_text.h or metric_json.h. Everything in a reading may be shown to everybody: of the command
 * line of a JVM it has the name of the main class or jar, and nothing else.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/arena.h"
#include "process/process_group.h"

enum metric_id {
#define METRIC(id, name, type, unit, labels, from, absent, help) METRIC_##id,
#include "metrics/metric.def"
#undef METRIC
    METRIC_COUNT,
};

enum metric_type {
    METRIC_TYPE_GAUGE,
    METRIC_TYPE_COUNTER,   /* grows as long as the JVM lives */
    METRIC_TYPE_HISTOGRAM, /* of which only count and sum are known */
    METRIC_TYPE_INFO,      /* the value is in the labels */
    METRIC_TYPES,
};

/** The types as OpenMetrics calls them. */
extern const char *const metric_type_words[METRIC_TYPES];

enum metric_unit { METRIC_UNIT_NONE, METRIC_UNIT_BYTES, METRIC_UNIT_SECONDS };

/** A row of metric.def. */
struct metric {
    const char *name; /* "jvm.memory.used" */
    enum metric_type type;
    enum metric_unit unit;
    const char *help;
};

extern const struct metric metric_all[METRIC_COUNT];

enum { METRIC_LABELS = 3, METRIC_NAME = 160, METRIC_ALL_JVMS = -1 };

struct metric_label {
    const char *name, *value; /* name NULL: there are no more */
};

struct metric_sample {
    enum metric_id id;
    int32_t jvm;    /* index of the JVM; METRIC_ALL_JVMS: none */
    double value;   /* of a histogram: the sum */
    uint64_t count; /* of a histogram */
    struct metric_label labels[METRIC_LABELS];
};

/** A JVM of a reading. The texts are plain (base/plain.h). */
struct metric_jvm {
    pid_t pid;                                /* as we see it */
    char main[METRIC_NAME];                   /* "": unknown */
    char container[PROCESS_CONTAINER_ID + 1]; /* "": none */
};

struct metric_set {
    struct arena arena; /* texts of labels that are not static */
    struct metric_jvm *jvms;
    uint32_t jvm_count, jvm_room;
    struct metric_sample *samples;
    uint32_t count, room;
    bool is_bad; /* there was no memory, and samples are missing */
};

/** Owner: metric_set_done(). */
void metric_set_init(struct metric_set *s);
void metric_set_done(struct metric_set *s);
/** Forgets the reading and keeps its memory for the next one. */
void metric_set_reset(struct metric_set *s);
/** Begins a JVM: samples that follow are of this JVM. */
void metric_set_jvm(struct metric_set *s, const struct metric_jvm *jvm);
/** Takes back the JVM that was begun last, with its samples. */
void metric_set_drop(struct metric_set *s);
/** Adds a sample of the JVM that was begun last (unless its id is one of those of all JVMs). A
 * value that is not a number is left out. `jvm` is filled here. */
void metric_set_add(struct metric_set *s, struct metric_sample sample);
/** Adds a sample without labels. */
void metric_set_value(struct metric_set *s, enum metric_id id, double value);
/** Adds a sample with one label. */
void metric_set_labelled(struct metric_set *s, enum metric_id id, double value, const char *name,
                         const char *label);
/** A copy of a text, plain, for a label. "?" if there is no memory. */
const char *metric_set_text(struct metric_set *s, const char *text);
