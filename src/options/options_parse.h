/*
 * options_parse.h - parses the option string of the agent: `name=value,name=value`.
 *
 * The grammar, the defaults and the error texts are those of the original HPROF agent, with its
 * surprises: for example a name ends at the next '=', not at a comma. The rows of options, the
 * words that ask engines and the settings of JFR events lie in other files, which know no grammar.
 * Grammar and table: docs/man/hprof-agent.7. Knows no JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>
#include "options/options.h"

struct options_group;
struct options_row;

/**
 * Parse `line` (NULL: empty) joined with `environment` (the value of _JAVA_HPROF_OPTIONS, or NULL).
 *
 * Errors:  0, with the note in *ret_error; E_SYNTAX, with its text. After an error `ret` holds what
 *          came before the error, because errorexit counts even then.
 * Context: any.   Owner: options_done(ret), also after an error.
 */
int options_parse(const char *line, const char *environment, struct options *ret,
                  struct options_error *ret_error);
/**
 * Check the names of timers, walkers, clocks and so on. An unknown name is an error even if it
 * would have no effect. Errors: 0; E_NOT_FOUND with a text in *ret_error. Context: any.
 */
int options_parse_check_names(const struct options *o, struct options_error *ret_error);

/** The format of a file, like options.format, by its name; used if there is no format=. 0: the name
 * does not tell it. */
char options_parse_format(const char *file);
/**
 * The whole option string for messages: `line`, a comma, `environment`; either may be NULL. Errors:
 * NULL: no memory. Owner: the caller frees it.
 */
char *options_parse_join(const char *line, const char *environment);

/** The row with this name, or NULL. *ret_group is its owner; NULL: the row belongs to no engine. */
const struct options_row *options_parse_row(const char *name,
                                            const struct options_group **ret_group);

enum { OPTIONS_PARSE_NEEDED = 96 };

/** An option that was given but has no effect on what is measured. */
struct options_parse_idle {
    const char *name; /* name of the option, static */
    /* it has no effect without this: "heap=dump or heap=histo" */
    char needed[OPTIONS_PARSE_NEEDED];
};

/**
 * Fill `ret` with up to `max` options that have no effect. Returns how many. Context: any.
 *
 * The original accepts every combination of options silently, and so does this agent. But a user
 * who writes include= without cpu=times expects something that will not happen, so a message tells
 * it. Only options that the original does not have are checked, so scripts for the original get no
 * new messages.
 */
int options_parse_idle(const struct options *o, struct options_parse_idle *ret, int max);

/** Print the text of `help`. Context: any. */
void options_help(FILE *out);
