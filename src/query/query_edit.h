/*
 * query_edit.h - reads a line that the user types on a terminal, with editing, history and
 * completion.
 *
 * Keys: arrows, Home, End, Ctrl-A, E, B, F, K, U, W, L, D; Tab completes the word before the
 * cursor. A line that is longer than the terminal is wide scrolls. The terminal has its own
 * settings again whenever no line is being read. Source: ECMA-48; termios(3).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "command/terminal.h"

/** The name with this number that may be typed here; NULL: there are no more. Borrowed until the
 * next call. */
typedef const char *query_edit_namer(void *with, size_t number);

enum { QUERY_EDIT_HISTORY = 200, QUERY_EDIT_LINE = 1 << 16 };

struct query_edit {
    struct terminal terminal; /* never opened: the screen stays as it is */
    char *line;               /* QUERY_EDIT_LINE bytes */
    size_t len, at;           /* of the line; the cursor */
    const char *prompt;
    char *history[QUERY_EDIT_HISTORY]; /* the oldest first */
    size_t history_count, history_at;
    query_edit_namer *namer;
    void *with;
    bool was_tab; /* the last key was a Tab that completed nothing */
};

/** Errors: 0; -ENOTTY: `in` or `out` is no terminal; -ENOMEM. Owner: query_edit_done(). */
int query_edit_init(struct query_edit *e, int in, int out, query_edit_namer *namer, void *with);
void query_edit_done(struct query_edit *e);
/** Reads a line. Borrowed until the next call. NULL: the input has ended. An empty line also stands
 * for one that Ctrl-C has ended, and then *ret_is_cancelled is true. */
const char *query_edit_read(struct query_edit *e, const char *prompt, bool *ret_is_cancelled);
/** Keeps a line for the arrow keys. */
void query_edit_remember(struct query_edit *e, const char *line);

/** Handles one key (enum terminal_key, or a byte) as it is typed: for tests. Returns false if the
 * line is complete. */
bool query_edit_key(struct query_edit *e, int key);
