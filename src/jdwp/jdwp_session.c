/*
 * jdwp_session.c - see jdwp_session.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_session.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "jdwp/jdwp_answer.h"

enum { PIECE = 4096, SET_MACHINE = 1, DISPOSE = 6 };

/* A row with neither a function nor `is_done` is refused. */
struct row {
    uint8_t set, number;
    bool is_done;
    jdwp_answer *answer;
};

static const struct row rows[] = {
#define COMMAND(set, number, function) {set, number, false, function},
#define NOTHING(set, number) {set, number, true, NULL},
#define REFUSED(set, number) {set, number, false, NULL},
#include "jdwp/jdwp_command.def"
#undef COMMAND
#undef NOTHING
#undef REFUSED
};

static const struct row *row_of(const struct jdwp_wire_command *c)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (rows[i].set == c->set && rows[i].number == c->number)
            return &rows[i];
    }
    return NULL;
}

static int answer(struct jdwp_session *s, struct jdwp_wire_command *c)
{
    const struct row *row = row_of(c);
    jdwp_wire_begin(&s->reply, c->id);
    if (row && row->answer) {
        row->answer(s->vm, &c->in, &s->reply);
        if (c->in.error) /* the command was shorter than it must be */
            s->reply.error = JDWP_ILLEGAL_ARGUMENT;
    } else if (!row || !row->is_done) {
        jdwp_wire_fail(&s->reply, JDWP_NOT_IMPLEMENTED);
    }
    s->commands++;
    s->has_ended = c->set == SET_MACHINE && c->number == DISPOSE;
    return jdwp_wire_end(&s->reply);
}

void jdwp_session_init(struct jdwp_session *s, struct jdwp_vm *vm)
{
    *s = (struct jdwp_session){.vm = vm};
}

void jdwp_session_done(struct jdwp_session *s)
{
    free(s->bytes);
    jdwp_wire_done(&s->reply);
    *s = (struct jdwp_session){0};
}

uint8_t *jdwp_session_room(struct jdwp_session *s, size_t *ret_len)
{
    size_t most = JDWP_WIRE_COMMAND_MAX;
    if (s->at > 0) {
        memmove(s->bytes, s->bytes + s->at, s->used - s->at);
        s->used -= s->at;
        s->at = 0;
    }
    if (s->used == s->room && s->room < most) {
        size_t room = s->room > 0 ? s->room * 2 : PIECE;
        uint8_t *bytes = realloc(s->bytes, room);
        if (!bytes)
            return NULL;
        s->bytes = bytes;
        s->room = room;
    }
    *ret_len = s->room - s->used;
    return s->bytes + s->used;
}

void jdwp_session_took(struct jdwp_session *s, size_t len)
{
    s->used += len;
}

/* The debugger greets first, and gets its own greeting back. */
static int greet(struct jdwp_session *s)
{
    size_t len = s->used < JDWP_WIRE_HANDSHAKE_BYTES ? s->used : JDWP_WIRE_HANDSHAKE_BYTES;
    if (len > 0 && memcmp(s->bytes, JDWP_WIRE_HANDSHAKE, len) != 0)
        return E_FORMAT;
    if (len < JDWP_WIRE_HANDSHAKE_BYTES)
        return 0;
    s->at = len;
    s->has_begun = true;
    s->reply.used = 0;
    s->reply.error = JDWP_OK;
    uint8_t *to = jdwp_wire_room(&s->reply, len);
    if (!to)
        return -ENOMEM;
    memcpy(to, JDWP_WIRE_HANDSHAKE, len);
    return 1;
}

int jdwp_session_step(struct jdwp_session *s)
{
    struct jdwp_wire_command c;
    if (s->sent < s->reply.used)
        return 1;
    s->sent = s->reply.used = 0;
    if (s->has_ended)
        return 0;
    if (!s->has_begun)
        return greet(s);
    int64_t len = s->used > s->at ? jdwp_wire_take(s->bytes + s->at, s->used - s->at, &c) : 0;
    if (len <= 0)
        return (int)len;
    int error = answer(s, &c);
    s->at += (size_t)len;
    return error < 0 ? error : 1;
}

const uint8_t *jdwp_session_waiting(const struct jdwp_session *s, size_t *ret_len)
{
    *ret_len = s->reply.used - s->sent;
    return *ret_len > 0 ? s->reply.bytes + s->sent : NULL;
}

void jdwp_session_gave(struct jdwp_session *s, size_t len)
{
    s->sent += len;
}
