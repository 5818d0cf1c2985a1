/*
 * jdwp_wire.c - see jdwp_wire.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_wire.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/be.h"
#include "base/err.h"

enum { FLAG_REPLY = 0x80, ROOM_FIRST = 4096 };

int64_t jdwp_wire_take(const uint8_t *bytes, size_t len, struct jdwp_wire_command *ret_command)
{
    if (len < JDWP_WIRE_HEAD)
        return 0;
    uint32_t whole = be_4(bytes);
    if (whole < JDWP_WIRE_HEAD || (bytes[8] & FLAG_REPLY) != 0)
        return E_FORMAT;
    if (whole > JDWP_WIRE_COMMAND_MAX)
        return E_LIMIT;
    if (len < whole)
        return 0;
    *ret_command =
        (struct jdwp_wire_command){.id = be_4(bytes + 4), .set = bytes[9], .number = bytes[10]};
    rd_init(&ret_command->in, bytes + JDWP_WIRE_HEAD, whole - JDWP_WIRE_HEAD);
    return whole;
}

void jdwp_wire_begin(struct jdwp_wire_reply *r, uint32_t id)
{
    r->used = 0;
    r->id = id;
    r->error = JDWP_OK;
    jdwp_wire_room(r, JDWP_WIRE_HEAD);
}

int jdwp_wire_end(struct jdwp_wire_reply *r)
{
    if (r->error != JDWP_OK)
        r->used = JDWP_WIRE_HEAD;
    if (r->room < JDWP_WIRE_HEAD)
        return -ENOMEM;
    uint8_t *to = be_put4(r->bytes, (uint32_t)r->used);
    to = be_put4(to, r->id);
    to = be_put1(to, FLAG_REPLY);
    be_put2(to, (uint16_t)r->error);
    return 0;
}

void jdwp_wire_done(struct jdwp_wire_reply *r)
{
    free(r->bytes);
    *r = (struct jdwp_wire_reply){0};
}

void jdwp_wire_fail(struct jdwp_wire_reply *r, enum jdwp_error error)
{
    if (r->error == JDWP_OK)
        r->error = error;
}

uint8_t *jdwp_wire_room(struct jdwp_wire_reply *r, size_t len)
{
    if (r->error != JDWP_OK)
        return NULL;
    if (len > JDWP_WIRE_REPLY_MAX - r->used) {
        jdwp_wire_fail(r, JDWP_OUT_OF_MEMORY);
        return NULL;
    }
    if (r->used + len > r->room) {
        size_t room = r->room > 0 ? r->room : ROOM_FIRST;
        while (room < r->used + len)
            room *= 2;
        uint8_t *bytes = realloc(r->bytes, room);
        if (!bytes) {
            jdwp_wire_fail(r, JDWP_OUT_OF_MEMORY);
            return NULL;
        }
        r->bytes = bytes;
        r->room = room;
    }
    uint8_t *at = r->bytes + r->used;
    r->used += len;
    return at;
}

void jdwp_wire_u1(struct jdwp_wire_reply *r, uint8_t v)
{
    uint8_t *at = jdwp_wire_room(r, 1);
    if (at)
        be_put1(at, v);
}

void jdwp_wire_u2(struct jdwp_wire_reply *r, uint16_t v)
{
    uint8_t *at = jdwp_wire_room(r, 2);
    if (at)
        be_put2(at, v);
}

void jdwp_wire_u4(struct jdwp_wire_reply *r, uint32_t v)
{
    uint8_t *at = jdwp_wire_room(r, 4);
    if (at)
        be_put4(at, v);
}

void jdwp_wire_u8(struct jdwp_wire_reply *r, uint64_t v)
{
    uint8_t *at = jdwp_wire_room(r, 8);
    if (at)
        be_put8(at, v);
}

static void put_bytes(struct jdwp_wire_reply *r, const char *bytes, size_t len)
{
    jdwp_wire_u4(r, (uint32_t)len);
    uint8_t *at = jdwp_wire_room(r, len);
    if (at)
        memcpy(at, bytes, len);
}

void jdwp_wire_text(struct jdwp_wire_reply *r, const char *text)
{
    put_bytes(r, text, strlen(text));
}

void jdwp_wire_patch(struct jdwp_wire_reply *r, size_t at, uint32_t v)
{
    if (r->error == JDWP_OK)
        be_put4(r->bytes + at, v);
}
