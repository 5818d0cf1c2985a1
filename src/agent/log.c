/*
 * log.c - see log.h. A line is printed by one write, so lines of several threads do not mix.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/log.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HEARD_TRIES = 100, HEARD_US = 1000 };

/* Only the thread that holds the agent's lock touches this. */
static struct log_held held;
static _Atomic uintptr_t holder;
static _Atomic uint32_t errors;
/*
 * The first error that is kept. The thread that sets is_taken writes the text, then sets is_there.
 */
static struct {
    _Atomic uintptr_t thread; /* the thread whose errors are kept */
    _Atomic bool others;      /* errors of all other threads are kept too */
    _Atomic bool is_taken, is_there;
    char text[LOG_HEARD];
} heard;
/*
 * Pieces of a line that has no end yet. Only the thread that makes a dump adds pieces, and one dump
 * runs at a time.
 */
static struct {
    size_t len;
    char bytes[LOG_LINE];
} begun;

static void write_all(const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* stderr cannot be written; the application is not disturbed */
        bytes += n;
        len -= (size_t)n;
    }
}

/* Print each line by one write; lines of other writers may come between. */
static void write_lines(const char *bytes, size_t len)
{
    while (len > 0) {
        const char *end = memchr(bytes, '\n', len);
        size_t n = end ? (size_t)(end + 1 - bytes) : len;
        write_all(bytes, n);
        bytes += n;
        len -= n;
    }
}

static void put(const char *bytes, size_t len)
{
    if (holder != (uintptr_t)pthread_self()) {
        write_all(bytes, len);
        return;
    }
    if (len > sizeof(held.bytes) - held.len) { /* only if there are two long lines */
        write_lines(held.bytes, held.len);
        held.len = 0;
    }
    memcpy(held.bytes + held.len, bytes, len);
    held.len += len;
}

void log_hold(void)
{
    holder = (uintptr_t)pthread_self();
}

void log_take_held(struct log_held *ret)
{
    ret->len = held.len;
    memcpy(ret->bytes, held.bytes, held.len);
    held.len = 0;
    holder = 0;
}

void log_put_held(const struct log_held *h)
{
    write_lines(h->bytes, h->len);
}

__attribute__((format(printf, 2, 0))) static void line(const char *prefix, const char *format,
                                                       va_list arguments)
{
    char text[LOG_LINE];
    int n = snprintf(text, sizeof(text), "%s", prefix);
    int m = vsnprintf(text + n, sizeof(text) - (size_t)n - 1, format, arguments);
    n += m < 0 ? 0 : m;
    if (n > LOG_LINE - 2)
        n = LOG_LINE - 2;
    text[n] = '\n';
    put(text, (size_t)n + 1);
}

void log_hear(void)
{
    heard.is_there = false;
    heard.is_taken = false;
    heard.thread = (uintptr_t)pthread_self();
}

void log_hear_others(void)
{
    heard.others = true;
}

/* If a thread has taken the text but not finished it, wait: a few instructions are left. */
void log_heard(char ret[LOG_HEARD])
{
    heard.others = false;
    heard.thread = 0;
    for (int i = 0; i < HEARD_TRIES && heard.is_taken && !heard.is_there; i++)
        usleep(HEARD_US);
    snprintf(ret, LOG_HEARD, "%s", heard.is_there ? heard.text : "");
}

void log_error(const char *format, ...)
{
    va_list arguments;
    if ((heard.others || heard.thread == (uintptr_t)pthread_self()) &&
        !atomic_exchange(&heard.is_taken, true)) {
        va_start(arguments, format);
        vsnprintf(heard.text, LOG_HEARD, format, arguments);
        va_end(arguments);
        heard.is_there = true;
    }
    va_start(arguments, format);
    line("HPROF ERROR: ", format, arguments);
    va_end(arguments);
    errors++;
}

void log_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    line("HPROF: ", format, arguments);
    va_end(arguments);
}

void log_lines(const char *text, size_t len)
{
    write_all(text, len);
}

uint32_t log_errors(void)
{
    return errors;
}

void log_piece(const char *text)
{
    size_t len = strlen(text), room = sizeof(begun.bytes) - begun.len;
    bool is_end = len > 0 && text[len - 1] == '\n';
    memcpy(begun.bytes + begun.len, text, len < room ? len : room);
    begun.len += len < room ? len : room;
    if (!is_end)
        return;
    begun.bytes[begun.len - 1] = '\n';
    put(begun.bytes, begun.len);
    begun.len = 0;
}
