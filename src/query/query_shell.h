/*
 * query_shell.h - a shell for questions: SQL, and words that begin with a dot.
 *
 * A statement may have several lines and ends with a semicolon. Tab completes the names of tables,
 * functions and columns of the tables that the statement names. Ctrl-C ends a query that runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "query/query.h"

/** Answers what the user types until the input ends. Errors: 0; -ENOTTY: standard input or output
 * is no terminal; -ENOMEM; an error of writing. */
int query_shell_run(struct query *q, enum query_print_form form);
