/*
 * watch_conf.h - the configuration of `hprof watch`: which JVMs are recorded, how, and where the
 * profiles go.
 *
 * A line is a setting and its value; docs/man/hprof-watch.1 lists the settings. The file says as
 * whom programs of others are looked into, so it must belong to this user or root, and nobody else
 * may be able to write it.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include "base/arena.h"
#include "push/push_how.h"
#include "recording/inject.h"

struct cmd;
struct watch_labels;

enum { WATCH_CONF_RULES = 64, WATCH_CONF_TERMS = 8, WATCH_CONF_LABELS = 16 };

/** A condition: the fact of a JVM matches a pattern (base/wildcard.h). */
struct watch_conf_term {
    enum { WATCH_CONF_NAME, WATCH_CONF_USER, WATCH_CONF_CGROUP, WATCH_CONF_LABEL } about;
    const char *key; /* of a label; else NULL */
    const char *pattern;
};

/** A line `attach` or `skip`: it fits a JVM if all of its conditions do. */
struct watch_conf_rule {
    bool is_attach;
    unsigned line; /* in the file */
    struct watch_conf_term terms[WATCH_CONF_TERMS];
    size_t count;
};

/** What rules ask of a JVM. NULL: unknown. */
struct watch_conf_facts {
    const char *name;   /* main class with its packages, or jar with its folders */
    const char *user;   /* the name of the user */
    uid_t uid;          /* the number of the user */
    const char *groups; /* the text of /proc/PID/cgroup */
    const struct watch_labels *labels;
};

struct watch_conf {
    struct arena arena; /* all texts */
    const struct cmd *cmd;
    const char *path;
    struct push_how push; /* the URL is NULL if nothing is sent */
    const char *spool;
    uint64_t spool_bytes;
    uint64_t rotate_ns, lease_ns, scan_ns, age_ns;
    struct inject items; /* words for the agent, but for those of watch_conf_level() */
    struct {
        uint64_t interval_ns, alloc_bytes, lock_ns; /* where nothing is thinned */
        bool has_cpu, has_alloc, has_lock;
    } rates;
    double budget;       /* the share of a core that all of it may use */
    const char *metrics; /* the place of the metrics; NULL: none */
    struct watch_conf_rule rules[WATCH_CONF_RULES];
    size_t rule_count;
    struct otlp_attribute labels[WATCH_CONF_LABELS];
    size_t label_count;
};

/** Reads the lines of `in`. `path` is the file's name in messages. Errors: 0; negative after saying
 * why. Owner: watch_conf_done(), also after an error. */
int watch_conf_parse(struct watch_conf *c, const struct cmd *cmd, FILE *in, const char *path);
/** Opens and reads the file. Errors and owner: likewise. */
int watch_conf_open(struct watch_conf *c, const struct cmd *cmd, const char *path);
void watch_conf_done(struct watch_conf *c);
/** The first rule that fits a JVM; NULL: none does, and the JVM is left alone. */
const struct watch_conf_rule *watch_conf_rule_for(const struct watch_conf *c,
                                                  const struct watch_conf_facts *facts);
/** Whether recordings that one of the two began are those that the other one wants. */
bool watch_conf_records_alike(const struct watch_conf *a, const struct watch_conf *b);
/** The agent's words for a level of thinning, in which each level takes half as many samples;
 * malloc'ed; NULL: no memory. */
char *watch_conf_words(const struct watch_conf *c, unsigned level);
