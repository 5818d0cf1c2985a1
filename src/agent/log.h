/*
 * log.h - the agent's messages, on stderr. The only place in the agent that prints.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { LOG_LINE = 6144, LOG_HELD = 2 * LOG_LINE, LOG_HEARD = 2048 };

/** What was said while the agent's lock was held. */
struct log_held {
    size_t len;
    char bytes[LOG_HELD];
};

/** "HPROF ERROR: <message>", a line of its own. Context: any, not signal. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** "HPROF: <message>", one line. Context: any, not signal. */
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Lines as they are, each with its end, in one write. Context: any, not signal; the agent's lock
 * is not the caller's. */
void log_lines(const char *text, size_t len);
/** A piece of a line, which is told when its end has come. Context: any, not signal, one thread. */
void log_piece(const char *text);
/** How many errors have been told. */
uint32_t log_errors(void);
/** The first error that the calling thread tells from now on is kept. One thread at a time.
 * Context: any, not signal. */
void log_hear(void);
/** The same of errors that any thread tells: the calling one waits for what others do. */
void log_hear_others(void);
/** No longer; `ret` gets the error, "" if there was none. */
void log_heard(char ret[LOG_HEARD]);

/** The calling thread has the agent's lock: what it says waits. */
void log_hold(void);
/** The calling thread is about to give the lock back: what the thread said meanwhile. */
void log_take_held(struct log_held *ret);
/** The lock is given back: say what was held. */
void log_put_held(const struct log_held *h);
