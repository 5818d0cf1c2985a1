/*
 * jvmpi_options.h - what stands behind libjvmpi.so= on the command line, and in JVMPI_BRIDGE.
 *
 * `foo:opts` is the short form of `agent=foo:opts`; before agent=, which is the last, stand options
 * of the bridge, name=value with a comma behind each. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "vm/method_filter.h"

struct jvmpi_options {
    bool times_are_wall; /* cputime=wall: GetCurrentThreadCpuTime tells the time of day's clock */
    bool names_have_slashes;     /* classname=slash: java/lang/String in CLASS_LOAD */
    bool has_natives;            /* natives=y: METHOD_ENTRY and EXIT of native methods */
    struct method_filter filter; /* include=, exclude=: what METHOD, OBJECT_ALLOC and others tell */
};

enum { JVMPI_OPTIONS_ERROR = 256 };

/**
 * Read `text` (NULL: nothing) and cut it where the agent's own options begin. *ret_agent is the
 * agent's name, NULL if none is named; *ret_agent_options are its options, "" if it has none. These
 * two, and the patterns in `o`, are places in `text`, which must live as long as they do.
 *
 * Errors: 0; E_SYNTAX and a clause that says what is wrong in `error`.
 */
int jvmpi_options_read(char *text, struct jvmpi_options *o, char **ret_agent,
                       char **ret_agent_options, char error[JVMPI_OPTIONS_ERROR]);
