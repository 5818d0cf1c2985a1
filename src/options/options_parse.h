/*
 * options_parse.h - the option string of the agent: `name=value,name=value`.
 *
 * The grammar, defaults and error texts are those of the original HPROF agent, with its traps (a
 * name runs to the next '=', not to a comma). The rows of the options, the words that ask engines
 * and the settings of JFR events lie in files of their own, which know no grammar. Grammar and
 * table: docs/man/hprof-agent.7. Knows no JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options.h"

struct options_group;
struct options_row;

/**
 * Parse `line` (NULL: empty) joined with `environment` (the value of _JAVA_HPROF_OPTIONS, or NULL).
 *
 * Errors:  0, with the note in *ret_error; E_SYNTAX with its text; `ret` then holds what came
 * before the error (errorexit counts). Context: any.   Owner: options_done(ret), whatever comes
 * back.
 */
int options_parse(const char *line, const char *environment, struct options *ret,
                  struct options_error *ret_error);
/**
 * A name that nobody knows is a mistake also where it would have no effect. Errors: 0; E_NOT_FOUND
 * with *ret_error filled. Context: any.
 */
int options_parse_check_names(const struct options *o, struct options_error *ret_error);

/** What a file of that name is, where format= does not say it: as options.format; 0: the name does
 * not say it either. */
char options_parse_format(const char *file);
/**
 * The whole option string, as messages show it: `line`, a comma, `environment`; either may be NULL.
 * Errors: NULL without memory. Owner: the caller frees it.
 */
char *options_parse_join(const char *line, const char *environment);

/** The row of that name, or NULL; *ret_group is its owner, NULL where that is no engine. */
const struct options_row *options_parse_row(const char *name,
                                            const struct options_group **ret_group);
