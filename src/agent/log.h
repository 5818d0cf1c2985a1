/*
 * log.h - prints the agent's messages on stderr. No other part of the agent prints.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { LOG_LINE = 6144, LOG_HELD = 2 * LOG_LINE, LOG_HEARD = 2048 };

/** Messages of the thread that held the agent's lock. */
struct log_held {
    size_t len;
    char bytes[LOG_HELD];
};

typedef void log_function(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Print "HPROF ERROR: <message>" on a line. Context: any, not signal. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Print "HPROF: <message>" on a line. Context: any, not signal. */
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/**
 * Print whole lines as they are, in one write. Context: any, not signal; the caller does not hold
 * the agent's lock.
 */
void log_lines(const char *text, size_t len);
/**
 * Add a piece to a line, which is printed when a piece ends with a newline. Context: any, not
 * signal, one thread.
 */
void log_piece(const char *text);
/** How many errors have been printed. */
uint32_t log_errors(void);
/**
 * From now on keep the first error that the calling thread prints. One thread at a time may do
 * this. Context: any, not signal.
 */
void log_hear(void);
/** Keep errors of other threads too, because the calling thread waits for their work. */
void log_hear_others(void);
/** End what log_hear() began; `ret` gets the kept error, or "" if there was none. */
void log_heard(char ret[LOG_HEARD]);

/** The calling thread has taken the agent's lock: hold its messages back. */
void log_hold(void);
/**
 * The calling thread is about to release the lock: move the messages that were held back to `ret`.
 */
void log_take_held(struct log_held *ret);
/** The lock is released: print the messages. */
void log_put_held(const struct log_held *h);
