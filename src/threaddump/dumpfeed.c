/*
 * dumpfeed.c - see dumpfeed.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumpfeed.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "threaddump/dumpline.h"

static void copy(char to[DUMPFEED_TEXT], struct threaddump_text from)
{
    size_t len = from.len < DUMPFEED_TEXT - 1 ? from.len : DUMPFEED_TEXT - 1;
    memcpy(to, from.at, len);
    to[len] = '\0';
}

/* ---- what other forms of dumps share */

void dumpfeed_put_name(struct textbuf *t, const char *name, size_t len)
{
    textbuf_char(t, '"');
    for (size_t i = 0; i < len; i++)
        textbuf_char(t, name[i] == '"' ? '\'' : (unsigned char)name[i] < ' ' ? ' ' : name[i]);
    textbuf_char(t, '"');
}

const char *dumpfeed_state_by_frame(const char *frame, size_t len)
{
    static const struct {
        const char *method, *state;
    } rows[] = {
        {"java.lang.Object.wait", "WAITING"},     {"Unsafe.park(", "WAITING"},
        {"VirtualThread.park", "WAITING"},        {"java.lang.Thread.sleep", "TIMED_WAITING"},
        {"VirtualThread.yieldContin", "WAITING"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (len > 0 && memmem(frame, len, rows[i].method, strlen(rows[i].method)))
            return rows[i].state;
    return "RUNNABLE";
}

void dumpfeed_put_lock(struct textbuf *t, const char *text, size_t len)
{
    const char *open = memchr(text, '<', len);
    const char *end = text + len;
    const char *at = open ? memchr(open, '@', (size_t)(end - open)) : NULL;
    const char *close = at ? memchr(at, '>', (size_t)(end - at)) : NULL;
    textbuf_text(t, "\t- ");
    if (!close) {
        textbuf_bytes(t, text, len);
    } else {
        textbuf_bytes(t, text, (size_t)(close - text) + 1);
        textbuf_text(t, " (a ");
        textbuf_bytes(t, open + 1, (size_t)(at - open) - 1);
        textbuf_char(t, ')');
        textbuf_bytes(t, close + 1, (size_t)(end - close) - 1);
    }
    textbuf_char(t, '\n');
}

/* ---- dumps begin and end */

static void begin(struct dumpfeed *f, bool is_file)
{
    struct textbuf text = f->dump.text;
    text.len = 0;
    f->dump = (struct dumpfeed_dump){.line = f->line, .text = text, .has_states = true};
    f->state = DUMPFEED_THREADS;
    f->is_file = is_file;
    f->is_headed = f->is_unstated = false;
}

/* Gives the dump to the taker, if it has a thread. */
static int finish(struct dumpfeed *f)
{
    int error = 0;
    bool has_threads = f->dump.text.len > 0;
    if (f->dump.text.is_bad)
        error = -ENOMEM;
    else if (f->state != DUMPFEED_OUTSIDE && has_threads)
        error = f->take(f->with, &f->dump);
    f->state = DUMPFEED_OUTSIDE;
    f->dump.text.len = 0;
    f->prefix_len = 0;
    return error;
}

static void remember_prefix(struct dumpfeed *f, struct threaddump_text prefix)
{
    f->prefix_len = prefix.len < sizeof(f->prefix) ? prefix.len : 0;
    memcpy(f->prefix, prefix.at, f->prefix_len);
}

/* "Full thread dump NAME (VERSION mode):", perhaps behind a prefix. */
static void begin_text(struct dumpfeed *f, struct threaddump_text line, const char *at)
{
    static const char words[] = "Full thread dump";
    struct threaddump_text rest = {at + sizeof(words) - 1,
                                   (size_t)(line.at + line.len - at) - (sizeof(words) - 1)};
    begin(f, false);
    remember_prefix(f, (struct threaddump_text){line.at, (size_t)(at - line.at)});
    while (rest.len > 0 && *rest.at == ' ') {
        rest.at++;
        rest.len--;
    }
    while (rest.len > 0 && strchr(":\r ", rest.at[rest.len - 1]))
        rest.len--;
    copy(f->dump.vm, rest);
    struct threaddump_text last = {f->last, strlen(f->last)};
    if (dumpline_cut_prefix(&last, (struct threaddump_text){f->prefix, f->prefix_len}) &&
        dumpline_is_time(last)) {
        f->dump.line--;
        copy(f->dump.when, last);
    } else if (f->prefix_len > 0) {
        copy(f->dump.when, (struct threaddump_text){f->prefix, f->prefix_len});
    }
}

/* ---- lines of a dump */

/* The word of java.lang.Thread.State for what JDK 5 has at the end of a thread's first line. */
static const char *state_by_head(struct threaddump_text head)
{
    return dumpline_find(head, " waiting for monitor entry") ? "BLOCKED (on object monitor)"
           : dumpline_find(head, " in Object.wait()")        ? "WAITING (on object monitor)"
           : dumpline_find(head, " sleeping")                ? "TIMED_WAITING (sleeping)"
                                                             : "";
}

static void put_head(struct dumpfeed *f, struct threaddump_text line)
{
    textbuf_char(&f->dump.text, '\n');
    textbuf_bytes(&f->dump.text, line.at, line.len);
    textbuf_char(&f->dump.text, '\n');
    const char *word = state_by_head(line);
    copy(f->state_word, (struct threaddump_text){word, strlen(word)});
    f->is_headed = f->is_unstated = true;
}

/* [Thread ]#12 "NAME" [virtual] [STATE [TIME]] */
static void put_file_head(struct dumpfeed *f, struct threaddump_text line)
{
    static const char *const states[] = {"NEW",     "RUNNABLE",      "BLOCKED",
                                         "WAITING", "TIMED_WAITING", "TERMINATED"};
    const char *number = memchr(line.at, '#', line.len), *end = line.at + line.len;
    const char *open = memchr(number, '"', (size_t)(end - number));
    const char *close = memrchr(line.at, '"', line.len);
    struct threaddump_text rest = {close + 1, (size_t)(end - close) - 1};
    textbuf_char(&f->dump.text, '\n');
    dumpfeed_put_name(&f->dump.text, open + 1, close > open ? (size_t)(close - open) - 1 : 0);
    textbuf_char(&f->dump.text, ' ');
    textbuf_bytes(&f->dump.text, number, (size_t)(open - number) - 1);
    textbuf_text(&f->dump.text, dumpline_begins(rest, " virtual") ? " virtual\n" : "\n");
    f->state_word[0] = '\0';
    f->is_headed = f->is_unstated = true;
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        const char *at = dumpline_find(rest, states[i]);
        if (!at || at[-1] != ' ')
            continue;
        textbuf_printf(&f->dump.text, "   java.lang.Thread.State: %s\n", states[i]);
        f->is_unstated = false;
    }
}

/* A frame of a thread that has no state yet. */
static void put_state(struct dumpfeed *f, struct threaddump_text frame)
{
    f->is_unstated = false;
    f->dump.has_states = false;
    textbuf_printf(&f->dump.text, "   java.lang.Thread.State: %s\n",
                   f->state_word[0] ? f->state_word : dumpfeed_state_by_frame(frame.at, frame.len));
}

static void put_frame(struct dumpfeed *f, struct threaddump_text frame)
{
    if (!f->is_headed)
        return;
    if (f->is_unstated)
        put_state(f, frame);
    textbuf_text(&f->dump.text, "\tat ");
    textbuf_bytes(&f->dump.text, frame.at, frame.len);
    textbuf_char(&f->dump.text, '\n');
}

static void put_line(struct dumpfeed *f, const char *before, struct threaddump_text text)
{
    textbuf_text(&f->dump.text, before);
    textbuf_bytes(&f->dump.text, text.at, text.len);
    textbuf_char(&f->dump.text, '\n');
}

static void take_deadlock(struct dumpfeed *f, struct threaddump_text text)
{
    if (dumpline_begins(text, "Found one"))
        f->is_headed = false;
    if (!f->is_headed)
        put_line(f, dumpline_begins(text, "w") ? "  " : "", text);
}

static void take_in_thread(struct dumpfeed *f, enum dumpline is, struct threaddump_text text)
{
    switch (is) {
    case DUMPLINE_HEAD:
        put_head(f, text);
        break;
    case DUMPLINE_FILE_HEAD:
        put_file_head(f, text);
        break;
    case DUMPLINE_STATE:
        if (f->is_unstated)
            put_line(f, "   java.lang.Thread.State: ", text);
        f->is_unstated = false;
        break;
    case DUMPLINE_FRAME:
        put_frame(f, text);
        break;
    case DUMPLINE_LOCK:
        if (f->is_headed)
            dumpfeed_put_lock(&f->dump.text, text.at, text.len);
        break;
    case DUMPLINE_OWNED:
        put_line(f, "\n   ", text);
        break;
    case DUMPLINE_END:
        f->state = DUMPFEED_ENDED;
        f->is_headed = false;
        put_line(f, "\n", text);
        break;
    case DUMPLINE_DEADLOCK:
        take_deadlock(f, text);
        break;
    default:
        break;
    }
}

/* In the form of files a frame has no "at" in front. */
static bool is_bare_frame(const struct dumpfeed *f, struct threaddump_text text)
{
    return f->is_file && f->is_headed && text.len > 3 && text.at[text.len - 1] == ')' &&
           memchr(text.at, '(', text.len) && !memchr(text.at, '"', text.len);
}

static void take_line(struct dumpfeed *f, struct threaddump_text line)
{
    struct threaddump_text text;
    enum dumpline is = dumpline_of(line, &text);
    bool is_part = is != DUMPLINE_FOREIGN && is != DUMPLINE_THROWABLE;
    if (f->state == DUMPFEED_THROWABLE) {
        if (is == DUMPLINE_FRAME || is == DUMPLINE_THROWABLE) {
            f->dump.foreign++;
            return;
        }
        f->state = DUMPFEED_THREADS;
    }
    if (f->state == DUMPFEED_ENDED) {
        if (is == DUMPLINE_DEADLOCK)
            take_deadlock(f, text);
        return;
    }
    if (is == DUMPLINE_THROWABLE && !is_bare_frame(f, text))
        f->state = DUMPFEED_THROWABLE;
    else if (!is_part && is_bare_frame(f, text))
        put_frame(f, text);
    else if (is_part)
        take_in_thread(f, is, text);
    f->dump.foreign += f->state == DUMPFEED_THROWABLE || (!is_part && !is_bare_frame(f, text));
}

/* Thread.dump_to_file writes the number of the process, the moment and the version of the JDK in
 * front of the threads, each in a line. */
static void take_outside(struct dumpfeed *f, struct threaddump_text line)
{
    struct threaddump_text text, last = {f->last, strlen(f->last)};
    enum dumpline is = dumpline_of(line, &text);
    if (is == DUMPLINE_HEAD && (dumpline_find(text, " tid=0x") || dumpline_find(text, " prio="))) {
        begin(f, false); /* the first line of the dump is missing */
        put_head(f, text);
    } else if (is == DUMPLINE_FILE_HEAD) {
        begin(f, true);
        put_file_head(f, text);
    } else if (dumpline_is_time(text) && dumpline_is_number(last)) {
        begin(f, true);
        f->dump.line--;
        copy(f->dump.when, text);
        snprintf(f->dump.pid, sizeof(f->dump.pid), "%.15s", f->last);
    }
}

/* Some loggers put their prefix only in front of the first line of a message. */
static bool has_prefix(struct dumpfeed *f, struct threaddump_text *line)
{
    struct threaddump_text text, prefix = {f->prefix, f->prefix_len};
    if (f->prefix_len == 0 || dumpline_cut_prefix(line, prefix))
        return true;
    if (f->dump.text.len > 0 || dumpline_of(*line, &text) != DUMPLINE_HEAD)
        return false;
    f->prefix_len = 0;
    return true;
}

int dumpfeed_line(struct dumpfeed *f, const char *at, size_t len)
{
    struct threaddump_text line = {at, len < DUMPFEED_LINE ? len : DUMPFEED_LINE};
    int error = 0;
    f->line++;
    while (line.len > 0 && line.at[line.len - 1] == '\r')
        line.len--;
    const char *begins = dumpline_find(line, "Full thread dump");
    if (begins) {
        error = finish(f);
        begin_text(f, line, begins);
        return error;
    }
    struct threaddump_text rest = line, last = {f->last, strlen(f->last)};
    if (f->state != DUMPFEED_OUTSIDE && f->is_file && dumpline_is_time(line) &&
        dumpline_is_number(last))
        error = finish(f);
    if (f->state == DUMPFEED_OUTSIDE)
        take_outside(f, line);
    else if (f->is_file && f->dump.text.len == 0 && f->dump.vm[0] == '\0' && line.len > 0)
        copy(f->dump.vm, line);
    else if (has_prefix(f, &rest))
        take_line(f, rest);
    else
        f->dump.foreign++;
    copy(f->last, line);
    return error < 0 ? error : f->dump.text.len > DUMPFEED_BYTES ? E_LIMIT : 0;
}

int dumpfeed_end(struct dumpfeed *f)
{
    return finish(f);
}

void dumpfeed_init(struct dumpfeed *f, dumpfeed_taker *take, void *with)
{
    *f = (struct dumpfeed){.take = take, .with = with};
}

void dumpfeed_done(struct dumpfeed *f)
{
    textbuf_done(&f->dump.text);
}
