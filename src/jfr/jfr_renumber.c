/*
 * jfr_renumber.c - see jfr_renumber.h.
 *
 * In the metadata the ids of types are texts of its table of strings. For each such text a new text
 * is added after the others. The old texts stay, because other elements may use them with another
 * meaning.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_renumber.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"
#include "jfr/jfr_text.h"
#include "safe/clock.h"

enum { DEPTH_MAX = 8, DIGITS = 24 };

uint64_t jfr_renumber_type(const struct jfr_renumber *n, uint64_t id)
{
    if (n->instead && id < JFR_METADATA_NEAR && n->instead[id])
        return n->instead[id];
    return id > JFR_LAYOUT_CHECKPOINT && id <= UINT64_MAX - n->offset ? id + n->offset : id;
}

/* The first tick at or after `ns`. Returns false if it does not fit. */
static bool ticks_of(const struct jfr_renumber *n, int64_t ns, int64_t *ret_ticks)
{
    double ticks = (double)ns * (n->clock.ticks_per_second / NS_PER_S);
    if (!(ticks > -9e18 && ticks < 9e18))
        return false;
    *ret_ticks = (int64_t)ticks;
    *ret_ticks += (double)*ret_ticks < ticks;
    return true;
}

/* Computes with the difference of two moments, which is small enough for a double to be exact. */
int64_t jfr_renumber_ticks(const struct jfr_renumber *n, const struct jfr_chunk *c, int64_t ticks)
{
    uint64_t ns = (uint64_t)jfr_chunk_time_ns(c, ticks) - (uint64_t)n->clock.start_ns;
    int64_t since;
    return ticks_of(n, (int64_t)ns, &since)
               ? (int64_t)((uint64_t)n->clock.start_ticks + (uint64_t)since)
               : ticks;
}

/* Converts a time in ticks. The largest and smallest numbers mean "without an end" and stay. */
static int64_t span_of(const struct jfr_renumber *n, const struct jfr_chunk *c, int64_t ticks)
{
    bool is_same = c->header.ticks_per_second == n->clock.ticks_per_second;
    int64_t span;
    if (is_same || ticks == INT64_MAX || ticks == INT64_MIN ||
        !ticks_of(n, jfr_chunk_span_ns(c, ticks), &span))
        return ticks;
    return span;
}

/* The field "id" of jdk.ActiveSetting is the id of the type to which the setting belongs. */
static bool is_type_number(const struct jfr_type *owner, const struct jfr_field *field)
{
    return strcmp(field->name, "id") == 0 && strcmp(owner->known_as, "jdk.ActiveSetting") == 0;
}

bool jfr_renumber_changes(const struct jfr_type *owner, const struct jfr_field *field)
{
    return !field->is_array && field->type && field->type->kind == JFR_LONG &&
           (field->content == JFR_TICKS_STAMP || field->content == JFR_TICKS_SPAN ||
            is_type_number(owner, field));
}

uint64_t jfr_renumber_value(const struct jfr_renumber *n, const struct jfr_chunk *c,
                            const struct jfr_field *field, uint64_t number)
{
    if (field->content == JFR_TICKS_SPAN)
        return (uint64_t)span_of(n, c, (int64_t)number);
    if (field->content != JFR_TICKS_STAMP)
        return jfr_renumber_type(n, number);
    return (int64_t)number > 0 ? (uint64_t)jfr_renumber_ticks(n, c, (int64_t)number) : number;
}

/* A text of the table of strings. */
struct row {
    struct jfr_text text;
    bool is_type;     /* the text is the id of a type */
    uint64_t instead; /* the row of the new text */
};

/* The metadata. It is passed twice: first to find the ids of types, then to write. */
struct tree {
    const struct jfr_renumber *n;
    struct leb l;
    struct row *rows;
    uint64_t count, added;
    const uint8_t *texts, *texts_end; /* the bytes of all texts in the file */
    struct sink *out;                 /* NULL: the first pass */
};

static uint64_t pass(struct tree *t)
{
    uint64_t number = leb_number(&t->l);
    if (t->out)
        leb_put(t->out, number);
    return number;
}

static bool is_text(const struct tree *t, uint64_t row, const char *text)
{
    return row < t->count && jfr_text_is(&t->rows[row].text, text, strlen(text));
}

/* Whether an attribute holds the id of a type: <class id=…>, or the attribute `class` of any other
 * element, for example <field class=…>. */
static bool names_type(const struct tree *t, uint64_t element, uint64_t key)
{
    return is_text(t, element, "class") ? is_text(t, key, "id") : is_text(t, key, "class");
}

static void pass_attribute(struct tree *t, uint64_t element)
{
    uint64_t key = pass(t), row = leb_number(&t->l);
    if (row >= t->count) {
        leb_fail(&t->l);
        return;
    }
    if (!t->out)
        t->rows[row].is_type |= names_type(t, element, key);
    else
        leb_put(t->out, names_type(t, element, key) ? t->rows[row].instead : row);
}

static void pass_element(struct tree *t, unsigned depth)
{
    uint64_t name = pass(t), attributes = pass(t);
    if (depth > DEPTH_MAX)
        leb_fail(&t->l);
    for (; attributes > 0 && !t->l.is_bad; attributes--)
        pass_attribute(t, name);
    for (uint64_t children = pass(t); children > 0 && !t->l.is_bad; children--)
        pass_element(t, depth + 1);
}

static int read_rows(struct tree *t)
{
    t->count = leb_number(&t->l);
    if (t->count > leb_left(&t->l))
        return E_FORMAT;
    t->rows = calloc((size_t)t->count + 1, sizeof(*t->rows));
    if (!t->rows)
        return -ENOMEM;
    t->texts = t->l.at;
    for (uint64_t i = 0; i < t->count && !t->l.is_bad; i++)
        t->rows[i].text = jfr_text_read(&t->l);
    t->texts_end = t->l.at;
    return t->l.is_bad ? E_FORMAT : 0;
}

static void number_rows(struct tree *t)
{
    for (uint64_t i = 0; i < t->count; i++)
        if (t->rows[i].is_type)
            t->rows[i].instead = t->count + t->added++;
}

static void put_added(const struct tree *t)
{
    for (uint64_t i = 0; i < t->count; i++) {
        const struct jfr_text *text = &t->rows[i].text;
        char digits[DIGITS] = "";
        if (!t->rows[i].is_type)
            continue;
        if (jfr_text_room(text) < sizeof(digits))
            digits[jfr_text_utf8(text, digits)] = '\0';
        int len = snprintf(digits, sizeof(digits), "%" PRIu64,
                           jfr_renumber_type(t->n, strtoull(digits, NULL, 10)));
        sink_u1(t->out, JFR_LAYOUT_STRING_UTF8);
        leb_put(t->out, (uint64_t)len);
        sink_bytes(t->out, digits, (size_t)len);
    }
}

/* Passes over the tree twice; t->l is behind the numbers at the beginning. */
static int write_tree(struct tree *t, struct sink *s)
{
    const struct leb tree = t->l;
    pass_element(t, 0);
    if (t->l.is_bad)
        return E_FORMAT;
    number_rows(t);
    leb_put(s, t->count + t->added);
    sink_bytes(s, t->texts, (size_t)(t->texts_end - t->texts));
    t->out = s;
    t->l = tree;
    put_added(t);
    pass_element(t, 0);
    return 0;
}

int jfr_renumber_metadata(const struct jfr_renumber *n, const struct jfr_chunk *c, struct sink *s)
{
    struct tree t = {.n = n, .l = c->metadata_record.payload};
    leb_put(s, (uint64_t)jfr_renumber_ticks(n, c, (int64_t)leb_number(&t.l)));
    leb_put(s, leb_number(&t.l)); /* duration */
    leb_put(s, leb_number(&t.l) + n->offset);
    int r = read_rows(&t);
    if (r == 0)
        r = write_tree(&t, s);
    free(t.rows);
    return r;
}
