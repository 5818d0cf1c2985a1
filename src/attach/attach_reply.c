/*
 * attach_reply.c - see attach_reply.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/attach_reply.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

enum { CODE_MAX = 1000000, ROOM_FIRST = 64 * 1024 };

int attach_reply_grow(struct attach_reply *r, size_t more)
{
    if (r->bytes && r->room - r->len > more)
        return 0;
    size_t room = r->room == 0 ? ROOM_FIRST : r->room * 2;
    while (room - r->len <= more)
        room *= 2;
    char *bytes = realloc(r->bytes, room);
    if (!bytes)
        return -ENOMEM;
    r->bytes = bytes;
    r->room = room;
    return 0;
}

int attach_reply_parse(struct attach_reply *r)
{
    size_t at = 0;
    int code = 0;
    r->text = "";
    r->text_len = 0;
    if (!r->bytes || r->len == 0)
        return E_TRUNCATED;
    r->bytes[r->len] = '\0';
    bool is_negative = r->bytes[0] == '-';
    at += is_negative;
    size_t first = at;
    for (; at < r->len && isdigit((unsigned char)r->bytes[at]); at++) {
        code = code * 10 + (r->bytes[at] - '0');
        if (code > CODE_MAX)
            return E_FORMAT;
    }
    if (at == r->len)
        return E_TRUNCATED;
    if (at == first || r->bytes[at] != '\n')
        return E_FORMAT;
    r->code = is_negative ? -code : code;
    r->text = r->bytes + at + 1;
    r->text_len = r->len - at - 1;
    return 0;
}

bool attach_reply_says(const struct attach_reply *r, const char *prefix)
{
    size_t len = strlen(prefix);
    return r->text_len >= len && memcmp(r->text, prefix, len) == 0;
}

void attach_reply_done(struct attach_reply *r)
{
    free(r->bytes);
    *r = (struct attach_reply){0};
}
