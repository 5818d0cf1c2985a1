/*
 * request.h - the options of `hprof run`, and the JVM options that they become.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "command/cmd.h"
#include "recording/inject.h"

struct opts;
struct run_file;
struct series;

struct request {
    const char *output, *agent; /* NULL: not given */
    int binary;                 /* -1: the name of the output decides */
    bool quiet, verbose;
    bool all;           /* also profile the JVMs of build tools */
    bool print_options; /* print the options and run nothing */
    uint32_t top;
    const struct series *drawn; /* the first series that --event names; NULL: none */
    const char *debug_on; /* the event that the JDK's debugging agent waits for; NULL: not loaded */
    uint32_t debug_port;  /* 0: any port */
    bool debug_is_asked;  /* ask each JVM whether its debugging agent can do this */
    bool has_agent_options; /* --agent-option was given */
    struct inject measured; /* empty: --event was not given */
    struct inject watched;  /* the triggers; empty: --on was not given */
    struct inject agent_options;
};

extern const struct opt request_options[];
extern const struct project_option request_project[];

/**
 * Reads the options before the command. Returns OPTS_WORD (with the command in opts->value),
 * OPTS_END, OPTS_HELP, or OPTS_ERROR after saying why. Owner: request_done(ret), whatever is
 * returned.
 */
int request_parse(const struct cmd *cmd, struct opts *opts, struct request *ret);
/** Whether a file of that format (named as the agent does) can hold what is measured. Errors: 0,
 * negative after saying why. */
int request_check(const struct cmd *cmd, const struct request *req, const char *format);
/** Whether the run measures something. With --debug-on, it measures only what the user named. */
bool request_measures(const struct request *req);
/** Whether everything that is measured is events with times, which a recording keeps. */
bool request_has_moments(const struct request *req);
/**
 * The value of JAVA_TOOL_OPTIONS that loads the agent into the JVMs: `before` (NULL: nothing), then
 * the option that loads `library`. `manifest` is the path of the list of files; NULL: there is no
 * list, for example in options that are printed. If the request measures nothing, `output` is not
 * used. Errors: NULL after saying why. Owner: the caller frees it.
 */
char *request_tool_options(const struct request *req, const struct run_file *output,
                           const char *manifest, const char *library, const char *before);
void request_done(struct request *req);
