/*
 * jdwp_session.h - the conversation with one debugger: handshake, then commands and their replies.
 *
 * The session knows no socket: bytes come, and bytes go. At most one reply waits; while it waits,
 * no command is read.
 * Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "jdwp/jdwp_wire.h"

struct jdwp_vm;

struct jdwp_session {
    struct jdwp_vm *vm; /* borrowed */
    bool has_begun;     /* the handshake is over */
    bool has_ended;     /* the debugger has let go: no more commands are read */
    uint8_t *bytes;     /* what has come; up to `at` it was taken */
    size_t at, used, room;
    struct jdwp_wire_reply reply;
    size_t sent; /* of the bytes of `reply` */
    uint64_t commands;
};

void jdwp_session_init(struct jdwp_session *s, struct jdwp_vm *vm);
void jdwp_session_done(struct jdwp_session *s);

/** Room for bytes that come; *ret_len may be 0: go on after the reply was sent. NULL: no memory. */
uint8_t *jdwp_session_room(struct jdwp_session *s, size_t *ret_len);
/** `len` bytes came into that room. */
void jdwp_session_took(struct jdwp_session *s, size_t len);
/**
 * Answer the next command that is complete, if no reply waits. Errors: 1: there is a reply to send;
 * 0: more bytes must come; E_FORMAT, E_LIMIT: what came is no conversation; -ENOMEM.
 */
int jdwp_session_step(struct jdwp_session *s);
/** The bytes to send; *ret_len 0: none. */
const uint8_t *jdwp_session_waiting(const struct jdwp_session *s, size_t *ret_len);
/** `len` of these bytes were sent. */
void jdwp_session_gave(struct jdwp_session *s, size_t len);
