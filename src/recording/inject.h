/*
 * inject.h - makes the text that makes a JVM load the agent: the agent's option string in
 * JAVA_TOOL_OPTIONS.
 *
 * This file knows two grammars. The agent's options are name=value, separated by commas, without
 * quotation marks. HotSpot splits the variable at white space; '...' and "..." protect white space,
 * and there are no escapes (Source: HotSpot arguments.cpp, parse_options_environment_variable).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct inject {
    const char *command; /* the command that messages begin with */
    char *text;          /* "name=value,name=value"; NULL before the first option */
    bool failed;         /* sticky: an option could not be added, and the user was told */
};

/** Append one option. `what` names the value's origin in the message, as in "--output". */
void inject_add(struct inject *in, const char *name, const char *value, const char *what);
/** Append "name=value" as the user wrote it. */
void inject_add_raw(struct inject *in, const char *pair, const char *what);
/** Append all options of `more`. If `more` has failed, `in` fails too. */
void inject_add_all(struct inject *in, const struct inject *more);
void inject_done(struct inject *in);

/**
 * The new value of JAVA_TOOL_OPTIONS: `old` (may be NULL), then -agentpath:LIBRARY=OPTIONS with the
 * options of `in`.
 * Errors: 0 and *ret_value, malloc'ed, the caller frees it; negative after saying why.
 */
int inject_tool_options(const struct inject *in, const char *old, const char *library,
                        char **ret_value);
