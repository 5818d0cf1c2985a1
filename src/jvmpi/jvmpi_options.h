/*
 * jvmpi_options.h - the options after libjvmpi.so= on the command line, and in JVMPI_BRIDGE.
 *
 * `foo:opts` is the short form of `agent=foo:opts`. agent= is the last option. In front of it stand
 * options of the bridge, each as name=value with a comma behind it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "vm/method_filter.h"

struct jvmpi_options {
    bool times_are_wall;     /* cputime=wall: GetCurrentThreadCpuTime returns wall-clock time */
    bool names_have_slashes; /* classname=slash: java/lang/String in CLASS_LOAD */
    bool has_natives;        /* natives=y: METHOD_ENTRY and EXIT of native methods */
    /* include=, exclude=: what METHOD, OBJECT_ALLOC and other events tell */
    struct method_filter filter;
};

enum { JVMPI_OPTIONS_ERROR = 256 };

/**
 * Read `text` (NULL: there are no options) and cut it where the agent's own options begin.
 * *ret_agent becomes the agent's name, or NULL if none is named. *ret_agent_options becomes its
 * options, "" if it has none. These two, and the patterns in `o`, point into `text`, which must
 * live as long as they do.
 *
 * Errors:  0; E_SYNTAX, and `error` is a clause that says what is wrong.
 */
int jvmpi_options_read(char *text, struct jvmpi_options *o, char **ret_agent,
                       char **ret_agent_options, char error[JVMPI_OPTIONS_ERROR]);
