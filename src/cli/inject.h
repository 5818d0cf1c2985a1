/*
 * inject.h - the text that makes a JVM load the agent: HPROF's option string in JAVA_TOOL_OPTIONS.
 *
 * Knows two grammars. The agent's: name=value, split at commas, no quotes. HotSpot's for the
 * environment variable: words split at white space, '...' and "..." keep it, no escapes
 * (Source: HotSpot arguments.cpp, parse_options_environment_variable).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct inject {
    const char *command; /* in whose name is said what is wrong */
    char *text;          /* "name=value,name=value"; NULL before the first */
    bool failed;         /* sticky: something could not be said, and the user knows */
};

/** Append one option. `what` names the value's origin in the message, as in "--output". */
void inject_add(struct inject *in, const char *name, const char *value, const char *what);
/** Append "name=value" as the user wrote it. */
void inject_add_raw(struct inject *in, const char *pair, const char *what);
/** Append all options of `more`; a failure there is one here. */
void inject_add_all(struct inject *in, const struct inject *more);
void inject_done(struct inject *in);

/**
 * The new value of JAVA_TOOL_OPTIONS: `old` (may be NULL) with -agentpath:LIBRARY=OPTIONS after it,
 * OPTIONS being those of `in`.
 * Errors: 0 and *ret_value, malloc'ed, the caller frees it; negative after saying why.
 */
int inject_tool_options(const struct inject *in, const char *old, const char *library,
                        char **ret_value);
