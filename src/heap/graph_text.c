/*
 * graph_text.c - the text of a java.lang.String.
 *
 * Until JDK 8 a String has an array of chars (until JDK 6 with an offset and a count); later it has
 * an array of bytes and a coder: 0 Latin-1, 1 UTF-16 in the byte order of the machine that wrote
 * the dump. All machines that JDK 9 and later run on, and that this project knows, have the low
 * byte first. Source: java.base/java/lang/String.java. SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "base/err.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"

enum { UTF8_MAX = 4 };

/* What a String has in its fields. */
struct parts {
    graph_object value;
    uint64_t offset, count; /* in UTF-16 units; UINT64_MAX: not there */
    bool has_coder, is_utf16;
};

static bool take_part(void *with, const struct graph_field *field, graph_class declared_in,
                      const struct graph_value *value)
{
    struct parts *p = with;
    if (strcmp(field->name, "value") == 0 && field->type == GRAPH_TYPE_OBJECT)
        p->value = value->object;
    else if (strcmp(field->name, "coder") == 0)
        p->has_coder = true, p->is_utf16 = value->bits != 0;
    else if (strcmp(field->name, "offset") == 0)
        p->offset = value->bits;
    else if (strcmp(field->name, "count") == 0)
        p->count = value->bits;
    return true;
}

static size_t put_utf8(uint32_t c, char to[UTF8_MAX])
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3f));
        to[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3f));
    to[2] = (char)(0x80 | (c >> 6 & 0x3f));
    to[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* The units of a text, wherever they lie. */
struct units {
    struct graph *g;
    uint64_t at, count;
    unsigned bytes;    /* of a unit in the file */
    bool is_low_first; /* the order of the bytes of a unit */
};

static uint32_t unit_at(struct units *u, uint64_t index)
{
    const unsigned char *b = heapinput_see(&u->g->look, u->at + index * u->bytes, u->bytes);
    if (!b)
        return '?';
    if (u->bytes == 1)
        return b[0];
    return u->is_low_first ? (uint32_t)(b[1] << 8 | b[0]) : be_2(b);
}

static size_t decode(struct units *u, char *text, size_t room)
{
    size_t len = 0;
    for (uint64_t i = 0; i < u->count; i++) {
        char bytes[UTF8_MAX];
        uint32_t c = unit_at(u, i);
        if (c >= 0xd800 && c < 0xe000) {
            uint32_t low = c < 0xdc00 && i + 1 < u->count ? unit_at(u, i + 1) : 0;
            if (low >= 0xdc00 && low < 0xe000)
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00), i++;
            else
                c = 0xfffd;
        }
        size_t more = put_utf8(c, bytes);
        if (len + more + 1 > room)
            break;
        memcpy(text + len, bytes, more);
        len += more;
    }
    if (room > 0)
        text[len] = '\0';
    return len;
}

int64_t graph_text(struct graph *g, graph_object string, char *ret_text, size_t room,
                   uint64_t *ret_chars)
{
    struct graph_info info, value;
    struct parts parts = {.value = GRAPH_NONE, .offset = UINT64_MAX, .count = UINT64_MAX};
    int error = graph_look(g, string, &info);
    if (error < 0)
        return error;
    if (info.kind != GRAPH_INSTANCE || info.klass == GRAPH_NO_CLASS ||
        strcmp(g->classes.infos[info.klass].name, "java.lang.String") != 0)
        return E_NOT_FOUND;
    error = graph_each_field(g, string, take_part, &parts);
    if (error < 0)
        return error;
    if (parts.value == GRAPH_NONE || graph_look(g, parts.value, &value) < 0 ||
        value.kind != GRAPH_PRIMITIVE_ARRAY)
        return E_NOT_FOUND;
    unsigned each = dumpscan_type_bytes(value.element_type, 0);
    struct units u = {.g = g, .at = value.at, .bytes = each > 2 ? 0 : each};
    if (u.bytes == 0)
        return E_NOT_FOUND;
    if (u.bytes == 1 && parts.is_utf16) {
        u.bytes = 2;
        u.is_low_first = true;
    }
    u.count = value.bytes / u.bytes;
    if (parts.offset != UINT64_MAX && parts.offset <= u.count && parts.count != UINT64_MAX) {
        u.at += parts.offset * u.bytes;
        u.count -= parts.offset;
        u.count = parts.count < u.count ? parts.count : u.count;
    }
    *ret_chars = u.count;
    return (int64_t)decode(&u, ret_text, room);
}
