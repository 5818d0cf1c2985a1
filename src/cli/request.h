/*
 * request.h - what the options of `hprof run` ask for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "cli/cmd.h"
#include "cli/inject.h"

struct opts;
struct series;

struct request {
    const char *output, *agent; /* NULL: not said */
    int binary;                 /* -1: by the name of the output */
    bool quiet, verbose;
    bool all;           /* the JVMs of build tools, too */
    bool print_options; /* in place of running anything */
    uint32_t top;
    const struct series *drawn; /* the first that --event names; NULL: it names none */
    const char *debug_on;   /* what the JDK's debugging agent waits for; NULL: it is not loaded */
    uint32_t debug_port;    /* 0: any */
    bool debug_is_asked;    /* of each JVM, whether its debugging agent can do that */
    bool has_agent_options; /* --agent-option was said */
    struct inject measured; /* nothing: --event was not said */
    struct inject watched;  /* triggers, likewise */
    struct inject agent_options;
};

extern const struct opt request_options[];
extern const struct project_option request_project[];

/**
 * Reads the options before the command. Owner: request_done(ret), whatever comes back: OPTS_WORD
 * with the command in opts->value, OPTS_END, OPTS_HELP, or OPTS_ERROR, already said.
 */
int request_parse(const struct cmd *cmd, struct opts *opts, struct request *ret);
/** Whether a file of that format, as the agent calls it, can have what is measured. Errors: 0,
 * negative after saying why.
 */
int request_check(const struct cmd *cmd, const struct request *req, const char *format);
/** Whether something is measured: where a debugger is waited for, only what was named. */
bool request_measures(const struct request *req);
/** Whether all that is measured are events with times, which a recording keeps. */
bool request_has_moments(const struct request *req);
void request_done(struct request *req);
