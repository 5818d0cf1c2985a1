/*
 * watch_table.h - the JVMs that are known: which are to be recorded, and how that goes.
 *
 * A JVM is known by its number and the time when it began. A recording of an earlier run of this
 * process is found again by its state in the spool; if its JVM has ended meanwhile, the row is
 * there until the files were taken that it left. Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "watch/watch_job.h"
#include "watch/watch_state.h"
#include "watch/watch_visit.h"

struct jvm;
struct jvms;
struct watch_conf;
struct watch_spool;

enum { WATCH_TABLE_JVMS = 1024, WATCH_TABLE_NAME = 160, WATCH_TABLE_USER = 33 };

struct watch_jvm {
    struct watch_state state;
    struct watch_labels labels;  /* for the next recording */
    char name[WATCH_TABLE_NAME]; /* main class or jar, plain; "": unknown */
    bool is_known;               /* the state is in the spool */
    bool wants;                  /* a rule says that it is to be recorded */
    bool restarts;               /* its recording is to begin again with other settings */
    unsigned line;               /* of the rule that decided; 0: none */
    int pidfd, tmp;              /* the process and its /tmp; -1: not open */
    bool is_gone;
    bool was_seen;     /* its end was seen, or it runs: nothing can be lost unseen */
    unsigned revision; /* of the configuration that decided */
    enum watch_visit_end last;
    unsigned failures; /* one after another */
    uint64_t next_ns;  /* when the next visit is due */
    struct {
        double share; /* of a core */
        bool is_measured;
        unsigned level;           /* that is wanted */
        uint64_t cpu_ns, time_ns; /* of the agent's threads at the last visit; 0: none */
    } cost;
    struct watch_job job;
};

struct watch_table {
    struct watch_jvm **rows;
    uint32_t count, room;
    bool restarts; /* a new revision begins all recordings again */
};

/** What the rules say of a JVM. */
struct watch_table_look {
    struct watch_labels labels;
    char user[WATCH_TABLE_USER];
    bool is_attach;
    unsigned line; /* of the rule; 0: none fits */
};

/** Reads what rules ask, and asks them. */
void watch_table_look(const struct watch_conf *conf, const struct jvm *jvm,
                      struct watch_table_look *ret);
/** How long a JVM has run. */
uint64_t watch_table_age_ns(uint64_t began);
/**
 * Takes the JVMs that were found: adds those that are old enough, and decides about all of them
 * again if the configuration has changed. `folder` is the spool. Errors: 0; -ENOMEM.
 */
int watch_table_take(struct watch_table *t, const struct watch_conf *conf, unsigned revision,
                     const struct jvms *jvms, int folder);
/** Adds rows for recordings of the spool whose JVMs have ended. Errors: 0; -ENOMEM; -errno. */
int watch_table_take_left(struct watch_table *t, int folder);
/** Reads the state again, which a child has written. `token` is its recording; 0: the child was
 * killed, and may have begun one whose token nobody knows. */
void watch_table_read_state(struct watch_jvm *j, int folder, uint64_t token);
/** Removes the states of recordings that have ended and of which nothing waits any more. */
void watch_table_clean(const struct watch_spool *spool);
/** Whether the process has ended. */
bool watch_table_has_ended(const struct watch_jvm *j);
void watch_table_drop(struct watch_table *t, uint32_t at);
void watch_table_done(struct watch_table *t);
