/*
 * io_drain.c - see io.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include "agent/engine/engine.h"
#include "agent/io/io.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_context.h"
#include "agent/stack_source/callstack.h"
#include "base/peername.h"
#include "base/utf8.h"
#include "options/options_io.h"
#include "profile/sums.h"
#include "profile/tally.h"
#include "safe/clock.h"
#include "safe/iohook.h"

extern const struct engine engine_io;

/* Indexes of the values of KIND_IO. */
enum { TIME, CALLS, READ, WRITTEN };

enum {
    TEXT = PEERNAME_HOST + 16,
    /* Further files and peers share one name: a program that opens a file for each request must not
     * fill the model. */
    NAMES_MOST = 16384,
};

static const char other_name[] = "<other>";

/* ---- what is no event */

static struct io_sums read_sums(const struct iohook_sums *s)
{
    return (struct io_sums){atomic_load_explicit(&s->calls, memory_order_relaxed),
                            atomic_load_explicit(&s->ns, memory_order_relaxed),
                            atomic_load_explicit(&s->read, memory_order_relaxed),
                            atomic_load_explicit(&s->written, memory_order_relaxed)};
}

static void add(struct io_sums *to, const struct io_sums *more)
{
    to->calls += more->calls;
    to->ns += more->ns;
    to->read += more->read;
    to->written += more->written;
}

struct io_sums io_drain_look(enum io_why why)
{
    struct io_sums sums = {0};
    if (why != IO_SHORTER)
        return read_sums(why == IO_LOST ? &iohook.lost : &iohook.throttled);
    for (int i = 0; i < IOHOOK_STRIPES; i++) {
        struct io_sums of = read_sums(&iohook.shorter[i].of);
        add(&sums, &of);
    }
    return sums;
}

struct io_sums io_drain_of(const struct io *io, int place, enum io_why why)
{
    const struct io_sums *before = &io->of[place].before[why];
    struct io_sums sums = io_drain_look(why);
    sums.calls -= before->calls;
    sums.ns -= before->ns;
    sums.read -= before->read;
    sums.written -= before->written;
    add(&sums, &io->of[place].own[why]);
    return sums;
}

/* ---- events */

/* A call, with what is made of its record. */
struct call {
    const struct iohook_sample *sample;
    struct event_io io;
    struct peername peer;
    char path[IOHOOK_NAME + 1];
    string_id text;
};

static enum event_io_op op_of(const struct iohook_sample *s)
{
    switch (s->op) {
    case IOHOOK_CONNECT:
        return EVENT_IO_SOCKET_CONNECT;
    case IOHOOK_ACCEPT:
        return EVENT_IO_SOCKET_ACCEPT;
    case IOHOOK_FORCE:
        return EVENT_IO_FILE_FORCE;
    case IOHOOK_WRITE:
        return s->is_socket ? EVENT_IO_SOCKET_WRITE : EVENT_IO_FILE_WRITE;
    default:
        return s->is_socket ? EVENT_IO_SOCKET_READ : EVENT_IO_FILE_READ;
    }
}

/* Copy a path. Bytes that are no text become '?'. */
static void copy_path(const char *from, size_t len, char *to, size_t size)
{
    unsigned char bytes[UTF8_BYTES];
    size_t used = 0, n;
    while (len > 0) {
        size_t had = utf8_next(from, len, bytes, &n);
        if (used + n + 1 > size)
            break;
        memcpy(to + used, bytes, n);
        used += n;
        from += had;
        len -= had;
    }
    to[used] = '\0';
}

/* The number of a pipe or of an event's descriptor tells nothing: "pipe:[123]" is "pipe". */
static void drop_number(char *path)
{
    char *number = strstr(path, ":[");
    if (path[0] != '/' && number && strspn(number + 2, "0123456789") + 3 == strlen(number))
        *number = '\0';
}

static string_id text_of(struct io *io, const char *text)
{
    struct profile *p = io->hooking.agent->profile;
    uint32_t before = profile_string_count(p);
    string_id id = profile_cstring(p, io->names < NAMES_MOST ? text : other_name);
    io->names += profile_string_count(p) - before;
    return id;
}

static void name_call(struct io *io, const struct iohook_sample *s, struct call *ret)
{
    const char *name = (const char *)&s->frames[hookring_frames(&s->stack)];
    char text[TEXT] = "";
    ret->sample = s;
    ret->io = (struct event_io){.op = op_of(s),
                                .timeout_ms = s->timeout_ms,
                                .is_end = s->is_end,
                                .with_metadata = s->with_metadata};
    ret->path[0] = '\0';
    if (!s->is_socket) {
        copy_path(name, s->name_bytes, ret->path, sizeof(ret->path));
        drop_number(ret->path);
        ret->io.path = ret->path[0] ? ret->path : NULL;
    } else if (s->name_bytes > 0) {
        peername_read(name, s->name_bytes, &ret->peer);
        peername_join(ret->peer.host, ret->peer.port, text, sizeof(text));
        ret->io.host = ret->peer.host[0] ? ret->peer.host : NULL;
        ret->io.address = ret->peer.is_address ? ret->peer.host : NULL;
        ret->io.port = ret->peer.port;
    }
    ret->text = s->is_socket ? text_of(io, text[0] ? text : "socket")
                             : text_of(io, ret->path[0] ? ret->path : "file");
}

/* Whether the recording has had as many events in this second as it wants. */
static bool is_one_too_many(struct io_counts *c, double rate, uint64_t time_ns)
{
    uint64_t second = time_ns / NS_PER_S;
    if (c->second != second)
        c->taken = 0;
    c->second = second;
    return (double)c->taken++ >= rate;
}

static void count_for(struct io *io, struct recording *r, const struct call *call, struct event *e,
                      const struct callstack *stack)
{
    const struct options_io *wanted = options_io_of(&r->options);
    const struct iohook_sample *s = call->sample;
    struct io_counts *c = &io->of[r->place];
    uint64_t start_ns = s->start_ns > r->began_ns ? s->start_ns : r->began_ns;
    struct io_sums one = {1, s->end_ns - start_ns, e->value[READ], e->value[WRITTEN]};
    e->value[TIME] = one.ns;
    if (one.ns < wanted->threshold_ns[call->io.op]) {
        add(&c->own[IO_SHORTER], &one);
        return;
    }
    if (is_one_too_many(c, wanted->rate, s->end_ns)) {
        add(&c->own[IO_THROTTLED], &one);
        return;
    }
    e->trace = stack->is_lost || !e->text
                   ? 0
                   : callstack_trace(io->hooking.agent, r, stack, e->thread, &e->is_truncated);
    if (!e->trace || recording_count(io->hooking.agent, r, e) != 0)
        add(&c->own[IO_LOST], &one);
    else
        c->events++;
}

void io_drain_take_in(struct hooking *h, const void *record)
{
    struct io *io = (struct io *)h;
    const struct iohook_sample *s = record;
    struct agent *a = io->hooking.agent;
    bool reads = s->op == IOHOOK_READ;
    struct callstack stack;
    struct recording *r;
    struct call call;
    name_call(io, s, &call);
    callstack_copy(s->frames, hookring_frames(&s->stack), s->stack.is_truncated, &stack);
    callstack_name(a, &stack, 0);
    struct event e = {
        .kind = KIND_IO,
        .thread = profile_thread_by_serial(a->profile, s->stack.serial),
        .text = call.text,
        .context = scope_context_of(a, &s->stack.scopes),
        .time_ns = s->end_ns,
        .value = {[CALLS] = 1, [READ] = reads ? s->bytes : 0, [WRITTEN] = reads ? 0 : s->bytes},
        .io = &call.io};
    for (int at = 0; (r = engine_recording(a, &engine_io, &at)) != NULL;)
        if (s->end_ns >= r->began_ns &&
            !options_group_is_off(&r->options, &options_io, options_io_names[call.io.op]))
            count_for(io, r, &call, &e, &stack);
}

void io_drain(struct hooking *h)
{
    hooking_read(h);
}
