/*
 * terminal.h - a screen of lines on a terminal, and the keys of its user.
 *
 * The alternate screen is used, so what was there before is there again afterwards: at the end,
 * when a signal ends or stops the program, and when it crashes. Sequences are those that all
 * terminals of today have (ECMA-48, xterm): no data base of terminals is read. One terminal at a
 * time, since signals are the process's. Context: any, not signal; one thread.
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
    /* Other values below 0x100 are bytes of text. */
    TERMINAL_UP = 0x100,
    TERMINAL_DOWN,
    TERMINAL_PAGE_UP,
    TERMINAL_PAGE_DOWN,
    TERMINAL_HOME,
    TERMINAL_OTHER, /* a key that has no name here */
    TERMINAL_GONE,  /* there is no terminal any more */
};

struct terminal {
    int in, out;
    struct termios before; /* as it was */
    unsigned columns, rows;
    bool is_open;
    unsigned char typed[64]; /* and not taken yet */
    unsigned typed_at, typed_len;
};

/** Takes the terminal over. Errors: 0; -errno: it is none. Owner: terminal_close(). */
int terminal_open(struct terminal *t, int in, int out);
void terminal_close(struct terminal *t);

/** Learns the size. */
void terminal_measure(struct terminal *t);
/** Whether the size has changed, or another program had the terminal, since the last call. */
bool terminal_has_changed(void);

/**
 * Shows these lines from the top on, as many as there is room for, and nothing else. Lines are text
 * and attributes (ESC [ ... m); what goes beyond the last column is not shown.
 */
void terminal_paint(const struct terminal *t, const char *lines, size_t len);

/** What was typed, without waiting: enum terminal_key. */
int terminal_read_key(struct terminal *t);
