/*
 * jfr_shown_query.c - see jfr_shown_query.h.
 *
 * The words are those of the query language of the JDK's tool. The names and functions are our own
 * (jfr_views.def).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_shown_query.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "jfrtool/jfr_column.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_query.h"
#include "jfrtool/jfr_where.h"

enum { BASE = 10 };

static void put_comma(struct textbuf *t, bool *is_first)
{
    textbuf_text(t, *is_first ? " " : ", ");
    *is_first = false;
}

/* Writes "count() AS 'Samples'" for "Samples=count()". */
static void put_columns(struct textbuf *t, const char *columns)
{
    char word[JFR_COLUMN_TEXT];
    bool is_first = true;
    textbuf_text(t, "SELECT");
    while (jfr_column_next(&columns, ',', word)) {
        char *equals = strchr(word, '=');
        put_comma(t, &is_first);
        textbuf_text(t, equals ? equals + 1 : word);
        if (equals)
            textbuf_printf(t, " AS '%.*s'", (int)(equals - word), word);
    }
}

static void put_where(struct textbuf *t, const struct jfr_where_set *where, bool is_first)
{
    for (uint32_t i = 0; i < where->count; i++)
        textbuf_printf(t, "%s%s", is_first && i == 0 ? "\nWHERE " : " AND ", where->of[i]);
}

/* Writes "jdk.A AS S WHERE S.x=y AND S.z=w" for "S=jdk.A[x=y&z=w]". */
static void put_sources(struct textbuf *t, const char *from, const struct jfr_where_set *where)
{
    struct jfr_column_source sources[JFR_COLUMN_SOURCES];
    uint32_t count = jfr_column_read_sources(from, sources);
    char word[JFR_COLUMN_TEXT];
    bool is_first = true;
    textbuf_text(t, "\nFROM");
    for (uint32_t i = 0; i < count; i++) {
        put_comma(t, &is_first);
        textbuf_text(t, sources[i].events);
        if (sources[i].letter)
            textbuf_printf(t, " AS %c", sources[i].letter);
    }
    is_first = true;
    for (uint32_t i = 0; i < count; i++) {
        const char *list = sources[i].conditions;
        while (jfr_column_next(&list, '&', word)) {
            textbuf_text(t, is_first ? "\nWHERE " : " AND ");
            is_first = false;
            if (sources[i].letter)
                textbuf_printf(t, "%c.", sources[i].letter);
            textbuf_text(t, word);
        }
    }
    put_where(t, where, is_first);
}

/* Writes the fields of a key such as "stackTrace,#gcId", without '#'. */
static void put_group(struct textbuf *t, const char *group)
{
    char word[JFR_COLUMN_TEXT];
    bool is_first = true;
    if (group[0] != '\0')
        textbuf_text(t, "\nGROUP BY");
    while (jfr_column_next(&group, ',', word)) {
        put_comma(t, &is_first);
        textbuf_text(t, word + (word[0] == '#'));
    }
}

static void put_order(struct textbuf *t, const struct jfr_query_named *view)
{
    struct jfr_column columns[JFR_COLUMN_MAX];
    uint32_t count = jfr_column_read(view->columns, NULL, 0, columns);
    const char *order = view->order;
    bool is_first = true;
    if (order[0] != '\0')
        textbuf_text(t, "\nORDER BY");
    while (*order != '\0') {
        char *end;
        unsigned long number = strtoul(order + 1, &end, BASE);
        const struct jfr_column *c = number <= count ? &columns[number - 1] : NULL;
        put_comma(t, &is_first);
        if (c && c->heading[0] != '\0')
            textbuf_printf(t, "'%s'", c->heading);
        else if (c)
            textbuf_text(t, c->fields);
        textbuf_text(t, *order == '-' ? " DESC" : " ASC");
        order = end + (*end == ',');
    }
}

void jfr_shown_query_put(const struct jfr_query_named *view, const struct jfr_where_set *where,
                         struct jfr_printer *o)
{
    struct textbuf *t = &o->text;
    textbuf_char(t, '\n');
    put_columns(t, view->columns);
    put_sources(t, view->from, where);
    put_group(t, view->group);
    put_order(t, view);
    if (view->limit > 0)
        textbuf_printf(t, "\nLIMIT %u", view->limit);
    textbuf_char(t, '\n');
}

void jfr_shown_query_events(const char *events, const char *group, const char *sum,
                            const struct jfr_where_set *where, uint32_t top, struct jfr_printer *o)
{
    struct textbuf *t = &o->text;
    textbuf_text(t, group ? "\nSELECT count(), share(" : "\nSELECT *");
    if (group && sum)
        textbuf_printf(t, "sum(%s)), sum(%s), avg(%s), max(%s), %s", sum, sum, sum, sum, group);
    else if (group)
        textbuf_printf(t, "count()), %s", group);
    textbuf_printf(t, "\nFROM %s", events);
    put_where(t, where, true);
    if (group)
        textbuf_printf(t, "\nGROUP BY %s\nORDER BY %s DESC", group, sum ? "sum" : "count");
    textbuf_printf(t, "\nLIMIT %u\n", top);
}
