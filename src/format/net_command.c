/*
 * net_command.c - see net_command.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/net_command.h"
#include <stdbool.h>
#include <string.h>

static uint64_t get(const unsigned char *at, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | at[i];
    return value;
}

static unsigned char *put(unsigned char *at, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        at[i] = (unsigned char)(value >> 8 * (count - 1 - i));
    return at + count;
}

/* An id has 8 bytes if the body is long enough, otherwise 4. */
enum { ID_LONG = 8 };

static int switches_sampling(int op)
{
    return op == NET_COMMAND_SAMPLING_ON || op == NET_COMMAND_SAMPLING_OFF;
}

/* How many bytes the body must have, as far as `op` says it. `op` is the first two bytes of a
 * control command, or 0 if they are unknown. */
static uint32_t body_of(uint8_t tag, int op)
{
    if (tag == NET_COMMAND_SITES || tag == NET_COMMAND_SAMPLES)
        return 2 + 4;
    if (tag != NET_COMMAND_CONTROL)
        return 0;
    if (switches_sampling(op))
        return 2 + 4;
    return op == NET_COMMAND_SET_DEPTH ? 2 + 2 : 2;
}

static bool tag_is_known(uint8_t tag)
{
    return tag >= NET_COMMAND_GC && tag <= NET_COMMAND_CONTROL;
}

/* A cutoff that is not a number, or that is below 0, becomes 0: a table without a cutoff. */
static float cutoff_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value > 0 ? value : 0;
}

static enum net_command_result parse(const unsigned char *bytes, uint32_t length,
                                     struct net_command *c)
{
    const unsigned char *body = bytes + NET_COMMAND_HEAD;
    if (length < body_of(c->tag, 0))
        return NET_COMMAND_SHORT;
    if (c->tag == NET_COMMAND_SITES || c->tag == NET_COMMAND_SAMPLES) {
        c->flags = (uint16_t)get(body, 2);
        c->cutoff = cutoff_of((uint32_t)get(body + 2, 4));
    } else if (c->tag == NET_COMMAND_CONTROL) {
        c->op = (uint16_t)get(body, 2);
        if (c->op < NET_COMMAND_ALLOC_ON || c->op > NET_COMMAND_SET_DEPTH)
            return NET_COMMAND_UNKNOWN;
        if (length < body_of(c->tag, c->op))
            return NET_COMMAND_SHORT;
        /* The depth is the operand of 6 in the original's manual, and of 7 in its code. */
        if (c->op == NET_COMMAND_CLEAR_SITES && length >= body_of(c->tag, NET_COMMAND_SET_DEPTH))
            c->op = NET_COMMAND_SET_DEPTH;
        if (c->op == NET_COMMAND_SET_DEPTH)
            c->depth = (uint16_t)get(body + 2, 2);
        else if (switches_sampling(c->op))
            c->thread = get(body + 2, length >= 2 + ID_LONG ? ID_LONG : 4);
    }
    return NET_COMMAND_WHOLE;
}

/* The result for the bytes that have come so far. */
static enum net_command_result look(struct net_command_reader *r, struct net_command *ret)
{
    uint32_t length, wanted;
    enum net_command_result result;
    memset(ret, 0, sizeof(*ret));
    ret->tag = r->bytes[0];
    if (ret->tag == NET_COMMAND_END)
        return NET_COMMAND_LAST;
    if (r->used < NET_COMMAND_HEAD)
        return NET_COMMAND_MORE;
    ret->sequence = (uint32_t)get(r->bytes + 1, 4);
    length = (uint32_t)get(r->bytes + 5, 4);
    if (length > NET_COMMAND_SKIP_MAX)
        return NET_COMMAND_GARBAGE;
    wanted = !tag_is_known(ret->tag) ? 0 : length < NET_COMMAND_BODY ? length : NET_COMMAND_BODY;
    if (r->used < NET_COMMAND_HEAD + wanted)
        return NET_COMMAND_MORE;
    result = tag_is_known(ret->tag) ? parse(r->bytes, length, ret) : NET_COMMAND_UNKNOWN;
    r->used = 0;
    r->skip = length - wanted;
    return result;
}

size_t net_command_read(struct net_command_reader *r, const unsigned char *bytes, size_t len,
                        struct net_command *ret, enum net_command_result *ret_result)
{
    size_t at = 0;
    *ret_result = NET_COMMAND_MORE;
    while (at < len && !r->is_over && *ret_result == NET_COMMAND_MORE) {
        if (r->skip > 0) {
            size_t n = len - at < r->skip ? len - at : r->skip;
            at += n;
            r->skip -= (uint32_t)n;
        } else {
            r->bytes[r->used++] = bytes[at++];
            *ret_result = look(r, ret);
        }
    }
    if (*ret_result == NET_COMMAND_LAST || *ret_result == NET_COMMAND_GARBAGE)
        r->is_over = 1;
    return r->is_over ? len : at;
}

size_t net_command_write(const struct net_command *c, unsigned char to[NET_COMMAND_MAX])
{
    bool is_long =
        c->tag == NET_COMMAND_CONTROL && switches_sampling(c->op) && c->thread > UINT32_MAX;
    uint32_t length = is_long ? 2 + ID_LONG : body_of(c->tag, c->op), bits;
    unsigned char *at = put(to, c->tag, 1);
    if (c->tag == NET_COMMAND_END)
        return 1;
    at = put(at, c->sequence, 4);
    at = put(at, length, 4);
    if (c->tag == NET_COMMAND_CONTROL) {
        at = put(at, c->op, 2);
        if (switches_sampling(c->op))
            at = put(at, c->thread, (int)length - 2);
        else if (length == 2 + 2)
            at = put(at, c->depth, 2);
    } else if (length > 0) {
        memcpy(&bits, &c->cutoff, sizeof(bits));
        at = put(put(at, c->flags, 2), bits, 4);
    }
    return (size_t)(at - to);
}
