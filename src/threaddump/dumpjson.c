/*
 * dumpjson.c - see dumpjson.h.
 *
 * The members of a thread come in any order, so a thread is collected before it is written.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumpjson.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "command/jsonscan.h"

enum { FRAMES_MAX = 100000, LOCKS_MAX = 10000 };

/* A monitor that the frame with the number `depth` has. */
struct owned {
    uint32_t depth, at; /* where its name is in `names` */
};

/* The thread that is being read. */
struct thread {
    struct textbuf name, tid, state, blocker, owner, blocked, waiting;
    struct textbuf frames, names; /* texts, each with a final 0 */
    struct owned *owned;
    uint32_t owned_count, frame_count;
    bool is_virtual, has_owned;
};

struct reader {
    struct jsonscan scan;
    struct dumpfeed_dump dump;
    struct thread thread;
    const char *counted; /* the lines in front of this are counted: */
    uint64_t line;
    bool is_bad; /* no memory */
};

/* Line breaks become blanks, here and below. */
static void keep(struct textbuf *to, const struct jsonscan *s)
{
    /* NOLINTNEXTLINE(clang-analyzer-*): the callers pass one */
    to->len = 0;
    for (size_t i = 0; i < s->text.len; i++)
        textbuf_char(to, (unsigned char)s->text.bytes[i] < ' ' ? ' ' : s->text.bytes[i]);
}

static void keep_text(char to[DUMPFEED_TEXT], const struct jsonscan *s)
{
    size_t len = s->text.len < DUMPFEED_TEXT - 1 ? s->text.len : DUMPFEED_TEXT - 1;
    memcpy(to, s->text.bytes, len);
    to[len] = '\0';
}

/* Adds a text with a final 0. */
static void add_text(struct textbuf *to, const struct jsonscan *s)
{
    for (size_t i = 0; i < s->text.len; i++)
        textbuf_char(to, (unsigned char)s->text.bytes[i] < ' ' ? ' ' : s->text.bytes[i]);
    textbuf_char(to, '\0');
}

static void clear(struct thread *t)
{
    struct textbuf *const texts[] = {&t->name,    &t->tid,     &t->state,  &t->blocker, &t->owner,
                                     &t->blocked, &t->waiting, &t->frames, &t->names};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        texts[i]->len = 0;
    t->owned_count = t->frame_count = 0;
    t->is_virtual = false;
}

static void free_thread(struct thread *t)
{
    struct textbuf *const texts[] = {&t->name,    &t->tid,     &t->state,  &t->blocker, &t->owner,
                                     &t->blocked, &t->waiting, &t->frames, &t->names};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        textbuf_done(texts[i]);
    free(t->owned);
}

/* ---- a thread becomes text */

static void put_lock(struct textbuf *t, const char *what, const char *object, size_t len,
                     const struct textbuf *owner)
{
    struct textbuf line = {0};
    if (len == 0)
        return;
    textbuf_text(&line, what);
    textbuf_char(&line, '<');
    textbuf_bytes(&line, object, len);
    textbuf_char(&line, '>');
    if (owner && owner->len > 0) {
        textbuf_text(&line, ", owned by #");
        textbuf_bytes(&line, owner->bytes, owner->len);
    }
    if (!line.is_bad)
        dumpfeed_put_lock(t, line.bytes, line.len);
    t->is_bad = t->is_bad || line.is_bad;
    textbuf_done(&line);
}

static int by_depth(const void *a, const void *b)
{
    const struct owned *x = a, *y = b;
    return x->depth != y->depth ? (x->depth > y->depth) - (x->depth < y->depth)
                                : (x->at > y->at) - (x->at < y->at);
}

static void put_frames(struct textbuf *t, struct thread *h)
{
    size_t at = 0;
    uint32_t next = 0;
    if (h->owned_count > 0)
        qsort(h->owned, h->owned_count, sizeof(*h->owned), by_depth);
    for (uint32_t i = 0; i < h->frame_count; i++) {
        textbuf_text(t, "\tat ");
        textbuf_text(t, h->frames.bytes + at);
        textbuf_char(t, '\n');
        at += strlen(h->frames.bytes + at) + 1;
        for (; next < h->owned_count && h->owned[next].depth <= i; next++)
            put_lock(t, "locked ", h->names.bytes + h->owned[next].at,
                     strlen(h->names.bytes + h->owned[next].at), NULL);
        if (i > 0)
            continue;
        put_lock(t, "parking to wait for  ", h->blocker.bytes, h->blocker.len, &h->owner);
        put_lock(t, "waiting to lock ", h->blocked.bytes, h->blocked.len, NULL);
        put_lock(t, "waiting on ", h->waiting.bytes, h->waiting.len, NULL);
    }
}

static bool is_bad(const struct thread *h)
{
    return h->name.is_bad || h->tid.is_bad || h->state.is_bad || h->blocker.is_bad ||
           h->owner.is_bad || h->blocked.is_bad || h->waiting.is_bad || h->frames.is_bad ||
           h->names.is_bad;
}

static void put_thread(struct reader *r)
{
    struct thread *h = &r->thread;
    struct textbuf *t = &r->dump.text;
    /* NOLINTNEXTLINE(clang-analyzer-*): the callers pass one */
    r->is_bad = r->is_bad || is_bad(h);
    if (r->is_bad || h->tid.len == 0)
        return;
    textbuf_char(t, '\n');
    dumpfeed_put_name(t, h->name.len > 0 ? h->name.bytes : "", h->name.len);
    textbuf_text(t, " #");
    textbuf_bytes(t, h->tid.bytes, h->tid.len);
    textbuf_text(t, h->is_virtual ? " virtual\n" : "\n");
    if (h->state.len > 0 || h->frame_count > 0) {
        const char *state = h->state.len > 0
                                ? h->state.bytes
                                : dumpfeed_state_by_frame(h->frames.bytes, strlen(h->frames.bytes));
        textbuf_text(t, "   java.lang.Thread.State: ");
        textbuf_bytes(t, state, h->state.len > 0 ? h->state.len : strlen(state));
        textbuf_char(t, '\n');
        r->dump.has_states = r->dump.has_states && h->state.len > 0;
    }
    put_frames(t, h);
}

/* ---- members */

/* Each reader of a value is called when its first piece has been read. */
static bool read_owned_at(struct reader *r, enum jsonscan_piece piece)
{
    struct jsonscan *s = &r->scan;
    struct thread *h = &r->thread;
    uint32_t first = h->owned_count, depth = 0;
    if (piece != JSONSCAN_OBJECT)
        return jsonscan_skip(s, piece);
    while ((piece = jsonscan_next(s)) == JSONSCAN_NAME) {
        if (jsonscan_is(s, "depth")) {
            piece = jsonscan_next(s);
            if (piece != JSONSCAN_OTHER && piece != JSONSCAN_STRING)
                return false;
            depth = (uint32_t)strtoul(s->text.bytes, NULL, 10);
            continue;
        }
        bool is_locks = jsonscan_is(s, "locks");
        piece = jsonscan_next(s);
        if (!is_locks || piece != JSONSCAN_ARRAY) {
            if (!jsonscan_skip(s, piece))
                return false;
            continue;
        }
        while ((piece = jsonscan_next(s)) != JSONSCAN_ARRAY_END) {
            if (!jsonscan_skip(s, piece))
                return false;
            if (piece != JSONSCAN_STRING || h->owned_count == LOCKS_MAX)
                continue;
            h->owned[h->owned_count++].at = (uint32_t)h->names.len;
            add_text(&h->names, s);
        }
    }
    for (uint32_t i = first; i < h->owned_count; i++)
        h->owned[i].depth = depth;
    return piece == JSONSCAN_OBJECT_END;
}

static bool read_blocker(struct reader *r, enum jsonscan_piece piece)
{
    struct jsonscan *s = &r->scan;
    if (piece == JSONSCAN_STRING)
        keep(&r->thread.blocker, s);
    if (piece != JSONSCAN_OBJECT)
        return jsonscan_skip(s, piece);
    while ((piece = jsonscan_next(s)) == JSONSCAN_NAME) {
        struct textbuf *to = jsonscan_is(s, "object")  ? &r->thread.blocker
                             : jsonscan_is(s, "owner") ? &r->thread.owner
                                                       : NULL;
        piece = jsonscan_next(s);
        if (to && (piece == JSONSCAN_STRING || piece == JSONSCAN_OTHER) && !jsonscan_is(s, "null"))
            keep(to, s);
        if (!jsonscan_skip(s, piece))
            return false;
    }
    return piece == JSONSCAN_OBJECT_END;
}

static bool read_frame(struct reader *r, enum jsonscan_piece piece)
{
    if (piece == JSONSCAN_STRING && r->thread.frame_count < FRAMES_MAX) {
        add_text(&r->thread.frames, &r->scan);
        r->thread.frame_count++;
    }
    return jsonscan_skip(&r->scan, piece);
}

typedef bool value_reader(struct reader *r, enum jsonscan_piece piece);

static bool read_array(struct reader *r, enum jsonscan_piece piece, value_reader *each)
{
    if (piece != JSONSCAN_ARRAY)
        return jsonscan_skip(&r->scan, piece);
    while ((piece = jsonscan_next(&r->scan)) != JSONSCAN_ARRAY_END)
        if (!each(r, piece))
            return false;
    return true;
}

/* The member whose name was read, if its value is a text. */
static struct textbuf *text_of(struct thread *h, const struct jsonscan *s)
{
    return jsonscan_is(s, "tid")         ? &h->tid
           : jsonscan_is(s, "name")      ? &h->name
           : jsonscan_is(s, "state")     ? &h->state
           : jsonscan_is(s, "blockedOn") ? &h->blocked
           : jsonscan_is(s, "waitingOn") ? &h->waiting
                                         : NULL;
}

static bool read_thread(struct reader *r, enum jsonscan_piece piece)
{
    struct jsonscan *s = &r->scan;
    bool is_good = true;
    if (piece != JSONSCAN_OBJECT)
        return jsonscan_skip(s, piece);
    clear(&r->thread);
    while (is_good && (piece = jsonscan_next(s)) == JSONSCAN_NAME) {
        struct textbuf *to = text_of(&r->thread, s);
        bool is_virtual = jsonscan_is(s, "virtual"), is_stack = jsonscan_is(s, "stack");
        bool is_blocker = jsonscan_is(s, "parkBlocker"), is_owned = jsonscan_is(s, "monitorsOwned");
        piece = jsonscan_next(s);
        if (to && (piece == JSONSCAN_STRING || piece == JSONSCAN_OTHER))
            keep(to, s);
        if (is_virtual)
            /* NOLINTNEXTLINE(clang-analyzer-*): the callers pass one */
            r->thread.is_virtual = jsonscan_is(s, "true");
        is_good = is_stack     ? read_array(r, piece, read_frame)
                  : is_blocker ? read_blocker(r, piece)
                  : is_owned   ? read_array(r, piece, read_owned_at)
                               : jsonscan_skip(s, piece);
    }
    put_thread(r);
    return is_good && piece == JSONSCAN_OBJECT_END && !r->is_bad;
}

static bool read_container(struct reader *r, enum jsonscan_piece piece)
{
    struct jsonscan *s = &r->scan;
    bool is_good = true;
    if (piece != JSONSCAN_OBJECT)
        return jsonscan_skip(s, piece);
    while (is_good && (piece = jsonscan_next(s)) == JSONSCAN_NAME) {
        bool is_threads = jsonscan_is(s, "threads");
        piece = jsonscan_next(s);
        is_good = is_threads ? read_array(r, piece, read_thread) : jsonscan_skip(s, piece);
    }
    return is_good && piece == JSONSCAN_OBJECT_END;
}

/* The object behind "threadDump". */
static bool read_dump(struct reader *r, enum jsonscan_piece piece)
{
    struct jsonscan *s = &r->scan;
    bool is_good = true;
    if (piece != JSONSCAN_OBJECT)
        return jsonscan_skip(s, piece);
    while (is_good && (piece = jsonscan_next(s)) == JSONSCAN_NAME) {
        bool is_containers = jsonscan_is(s, "threadContainers");
        char *to = jsonscan_is(s, "time")             ? r->dump.when
                   : jsonscan_is(s, "runtimeVersion") ? r->dump.vm
                                                      : NULL;
        bool is_pid = jsonscan_is(s, "processId");
        piece = jsonscan_next(s);
        bool is_text = piece == JSONSCAN_STRING || piece == JSONSCAN_OTHER;
        if (is_text && to)
            keep_text(to, s);
        if (is_text && is_pid)
            snprintf(r->dump.pid, sizeof(r->dump.pid), "%.15s", s->text.bytes);
        is_good = is_containers ? read_array(r, piece, read_container) : jsonscan_skip(s, piece);
    }
    return is_good && piece == JSONSCAN_OBJECT_END;
}

/* The number of the line in which the piece begins that was read last. */
static uint64_t line_now(struct reader *r)
{
    const char *next;
    while ((next = memchr(r->counted, '\n', (size_t)(r->scan.at - r->counted))) != NULL) {
        r->counted = next + 1;
        r->line++;
    }
    return r->line;
}

static int read_one(struct reader *r, dumpfeed_taker *take, void *with)
{
    struct jsonscan *s = &r->scan;
    enum jsonscan_piece piece;
    bool is_good = true;
    struct textbuf room = r->dump.text;
    room.len = 0;
    r->dump = (struct dumpfeed_dump){.text = room, .has_states = true, .line = line_now(r)};
    while (is_good && (piece = jsonscan_next(s)) == JSONSCAN_NAME) {
        bool is_dump = jsonscan_is(s, "threadDump");
        piece = jsonscan_next(s);
        is_good = is_dump ? read_dump(r, piece) : jsonscan_skip(s, piece);
    }
    int error = r->is_bad || r->dump.text.is_bad ? -ENOMEM
                : r->dump.text.len > 0           ? take(with, &r->dump)
                                                 : 0;
    return error < 0 ? error : is_good && piece == JSONSCAN_OBJECT_END ? 0 : E_FORMAT;
}

int dumpjson_read(const char *text, size_t len, dumpfeed_taker *take, void *with)
{
    struct reader r = {
        .thread = {.owned = calloc(LOCKS_MAX, sizeof(struct owned))}, .counted = text, .line = 1};
    enum jsonscan_piece piece;
    int error = r.thread.owned ? 0 : -ENOMEM;
    jsonscan_init(&r.scan, text, len);
    while (error == 0 && (piece = jsonscan_next(&r.scan)) != JSONSCAN_END)
        error = piece == JSONSCAN_OBJECT ? read_one(&r, take, with) : E_FORMAT;
    free_thread(&r.thread);
    textbuf_done(&r.dump.text);
    jsonscan_done(&r.scan);
    return error;
}
