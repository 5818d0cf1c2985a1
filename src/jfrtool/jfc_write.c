/*
 * jfc_write.c - see jfc_write.h.
 *
 * The JDK keeps attributes in a java.util.HashMap and writes them in the order of its buckets,
 * which are the lowest bits of a hash of the name. This file keeps that order, so a file of ours
 * and a file of the JDK can be compared line by line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfc_write.h"
#include <stdint.h>
#include "base/utf8.h"
#include "jfrtool/jfc_tree.h"
#include "command/textbuf.h"

enum { BUCKETS = 16 /* buckets of a HashMap with up to 12 entries */ };

static const char head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!-- Made by hprof jfr configure, which can change it, as jfr configure of the JDK can. -->\n";

/* Decodes one character of one to four bytes of UTF-8. */
static uint32_t character_of(const unsigned char *bytes, size_t len)
{
    uint32_t c = len == 1 ? bytes[0] : bytes[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++)
        c = c << 6 | (bytes[i] & 0x3f);
    return c;
}

static void write_character(uint32_t c, struct textbuf *to)
{
    switch (c) {
    case '"':
        textbuf_text(to, "&quot;");
        break;
    case '&':
        textbuf_text(to, "&amp;");
        break;
    case '\'':
        textbuf_text(to, "&apos;");
        break;
    case '<':
        textbuf_text(to, "&lt;");
        break;
    case '>':
        textbuf_text(to, "&gt;");
        break;
    default:
        if (c > 0x7f)
            textbuf_printf(to, "&#%u;", c);
        else
            textbuf_char(to, (char)c);
    }
}

static bool is_blank(char c)
{
    return c == '\n' || c == '\t' || c == '\r';
}

static void write_text(const char *text, struct textbuf *to)
{
    for (size_t left = strlen(text); left > 0;) {
        unsigned char bytes[UTF8_BYTES];
        size_t len, taken = utf8_next(text, left, bytes, &len);
        write_character(is_blank(*text) ? (uint32_t)*text : character_of(bytes, len), to);
        text += taken;
        left -= taken;
    }
}

static unsigned bucket_of(const char *name)
{
    uint32_t hash = 0;
    for (; *name; name++)
        hash = hash * 31 + (unsigned char)*name;
    return (hash ^ hash >> 16) % BUCKETS;
}

static void write_attributes(const struct jfc_element *e, struct textbuf *to)
{
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++)
        for (const struct jfc_attribute *a = e->attributes; a; a = a->next)
            if (bucket_of(a->name) == bucket) {
                textbuf_printf(to, " %s=\"", a->name);
                write_text(a->value, to);
                textbuf_char(to, '"');
            }
}

static void write_element(const struct jfc_element *e, unsigned depth, struct textbuf *to)
{
    bool is_apart = false;
    textbuf_fill(to, ' ', (size_t)depth * 2);
    textbuf_printf(to, "<%s", e->name);
    write_attributes(e, to);
    if (!e->children && !e->content[0]) {
        textbuf_text(to, "/>\n");
        return;
    }
    textbuf_char(to, '>');
    write_text(e->content, to);
    if (e->children)
        textbuf_char(to, '\n');
    for (const struct jfc_element *child = e->children; child; child = child->next) {
        is_apart = jfc_tree_stands_alone(child);
        if (is_apart)
            textbuf_char(to, '\n');
        write_element(child, depth + 1, to);
    }
    if (is_apart)
        textbuf_char(to, '\n');
    if (e->children)
        textbuf_fill(to, ' ', (size_t)depth * 2);
    textbuf_printf(to, "</%s>\n", e->name);
}

void jfc_write(const struct jfc_tree *t, struct textbuf *to)
{
    textbuf_text(to, head);
    write_element(t->root, 0, to);
}
