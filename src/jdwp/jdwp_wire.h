/*
 * jdwp_wire.h - the packets of the Java Debug Wire Protocol: commands that come, replies that go.
 *
 * A packet has a head of eleven bytes: its length, an id, flags, and then the set and the number of
 * a command, or the error of a reply. Numbers are big-endian. All ids of this server (objects,
 * types, methods, fields, frames) have eight bytes.
 * Source: JDWP specification (Java Platform Debugger Architecture).
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/rd.h"

#define JDWP_WIRE_HANDSHAKE "JDWP-Handshake"

enum {
    JDWP_WIRE_HANDSHAKE_BYTES = sizeof(JDWP_WIRE_HANDSHAKE) - 1,
    JDWP_WIRE_HEAD = 11,
    JDWP_WIRE_ID = 8,
    JDWP_WIRE_COMMAND_MAX = 1 << 20, /* bytes of a command; those that we obey are short */
    JDWP_WIRE_REPLY_MAX = 256 << 20, /* bytes of a reply */
};

/** The errors that this server answers. Source: JDWP specification, Error Constants. */
enum jdwp_error {
    JDWP_OK = 0,
    JDWP_INVALID_THREAD = 10,
    JDWP_INVALID_THREAD_GROUP = 11,
    JDWP_THREAD_NOT_SUSPENDED = 13,
    JDWP_INVALID_OBJECT = 20,
    JDWP_INVALID_CLASS = 21,
    JDWP_INVALID_METHODID = 23,
    JDWP_INVALID_FIELDID = 25,
    JDWP_INVALID_FRAMEID = 30,
    JDWP_TYPE_MISMATCH = 34,
    JDWP_INVALID_SLOT = 35,
    JDWP_INVALID_MODULE = 42,
    JDWP_NOT_IMPLEMENTED = 99,
    JDWP_ABSENT_INFORMATION = 101,
    JDWP_INVALID_EVENT_TYPE = 102,
    JDWP_ILLEGAL_ARGUMENT = 103,
    JDWP_OUT_OF_MEMORY = 110,
    JDWP_INTERNAL = 113,
    JDWP_INVALID_INDEX = 503,
    JDWP_INVALID_LENGTH = 504,
    JDWP_INVALID_STRING = 506,
    JDWP_INVALID_CLASS_LOADER = 507,
    JDWP_INVALID_ARRAY = 508,
    JDWP_NATIVE_METHOD = 511,
};

struct jdwp_wire_command {
    uint32_t id;
    uint8_t set, number;
    struct rd in; /* what follows the head; borrows the bytes */
};

/**
 * Take the packet at the front of `bytes`. Returns its length in bytes; 0: more bytes must come
 * first; E_LIMIT: the packet would be too long; E_FORMAT: it is no command.
 */
int64_t jdwp_wire_take(const uint8_t *bytes, size_t len, struct jdwp_wire_command *ret_command);

/** A reply that is being written. It remembers its first failure, and then ignores the rest. */
struct jdwp_wire_reply {
    uint8_t *bytes;
    size_t used, room;
    uint32_t id;
    enum jdwp_error error;
};

/** Begin the reply to a command; the buffer of the last reply is used again. */
void jdwp_wire_begin(struct jdwp_wire_reply *r, uint32_t id);
/** Complete the reply: `bytes` has `used` bytes to send. A failed reply has no data. Errors: 0;
 * -ENOMEM. */
int jdwp_wire_end(struct jdwp_wire_reply *r);
void jdwp_wire_done(struct jdwp_wire_reply *r);

void jdwp_wire_fail(struct jdwp_wire_reply *r, enum jdwp_error error);
/** Room for `len` bytes that the caller writes at once; NULL after a failure. */
uint8_t *jdwp_wire_room(struct jdwp_wire_reply *r, size_t len);
void jdwp_wire_u1(struct jdwp_wire_reply *r, uint8_t v);
void jdwp_wire_u2(struct jdwp_wire_reply *r, uint16_t v);
void jdwp_wire_u4(struct jdwp_wire_reply *r, uint32_t v);
void jdwp_wire_u8(struct jdwp_wire_reply *r, uint64_t v);
/** A text: its length in bytes, then its bytes. */
void jdwp_wire_text(struct jdwp_wire_reply *r, const char *text);
/** Replace the four bytes at `at`, an earlier r->used: a count that was not known there. */
void jdwp_wire_patch(struct jdwp_wire_reply *r, size_t at, uint32_t v);
