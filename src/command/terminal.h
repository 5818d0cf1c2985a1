/*
 * terminal.h - a screen of lines on a terminal, and the keys that the user types.
 *
 * The alternate screen is used, so the earlier content comes back at the end, when a signal ends or
 * stops the program, and when the program crashes. The control sequences are those that all current
 * terminals have (ECMA-48, xterm): no data base of terminals is read. Only one terminal can be
 * open, because signals belong to the whole process. Context: any, not signal; one thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

enum terminal_key {
    TERMINAL_NONE = 0, /* nothing was typed */
    TERMINAL_ENTER = '\r',
    TERMINAL_ESCAPE = 0x1b,
    TERMINAL_BACKSPACE = 0x7f,
    /* Other values less than 0x100 are bytes of text. */
    TERMINAL_UP = 0x100,
    TERMINAL_DOWN,
    TERMINAL_LEFT,
    TERMINAL_RIGHT,
    TERMINAL_PAGE_UP,
    TERMINAL_PAGE_DOWN,
    TERMINAL_HOME,
    TERMINAL_END,
    TERMINAL_DELETE,
    TERMINAL_OTHER, /* a key that has no name here */
    TERMINAL_GONE,  /* the terminal is gone */
};

struct terminal {
    int in, out;
    struct termios before; /* the settings before */
    unsigned columns, rows;
    bool is_open;
    unsigned char typed[64]; /* bytes that were typed and not read yet */
    unsigned typed_at, typed_len;
};

/** Takes control of the terminal. Errors: 0; -errno: it is not a terminal. Owner:
 * terminal_close(). */
int terminal_open(struct terminal *t, int in, int out);
void terminal_close(struct terminal *t);

/** Reads the size of the terminal. */
void terminal_measure(struct terminal *t);
/** Whether the size has changed, or another program has used the terminal, since the last call. */
bool terminal_has_changed(void);

/**
 * Shows these lines from the top of the screen, as many as fit, and nothing else. Lines consist of
 * text and attributes (ESC [ ... m). Text after the last column is not shown.
 */
void terminal_paint(const struct terminal *t, const char *lines, size_t len);

/** The next typed key (enum terminal_key), without waiting. */
int terminal_read_key(struct terminal *t);
/** The same, but waits for a key; TERMINAL_NONE: a signal came instead. `t` need not be open: `in`
 * is enough if its settings are those of a program that reads key by key. */
int terminal_wait_key(struct terminal *t);
