/*
 * query_sums.c - see query_sums.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_sums.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "query/query_jfr.h"
#include "query/query_scan.h"
#include "query/query_state.h"

/* ---- the table */

struct sums {
    int64_t events, duration, shortest, longest;
    bool is_over; /* the durations need more than 64 bits */
};

struct sums_cursor {
    struct query_table_cursor base;
    struct sums *of; /* by number of type */
    uint32_t at;     /* behind the current type */
};

static void add(struct sums *s, int64_t duration)
{
    if (s->events++ == 0 || duration < s->shortest)
        s->shortest = duration;
    if (s->events == 1 || duration > s->longest)
        s->longest = duration;
    s->is_over |= __builtin_add_overflow(s->duration, duration, &s->duration);
}

static int next_type(struct query_table_cursor *base)
{
    struct sums_cursor *c = (struct sums_cursor *)base;
    uint32_t count = query_jfr_count(base->table->query->jfr);
    while (c->at < count)
        if (c->of[c->at++].events > 0)
            return 1;
    return 0;
}

static int begin_sums(struct query_table_cursor *base, const struct query_table_ask *ask)
{
    struct sums_cursor *c = (struct sums_cursor *)base;
    struct query *q = base->table->query;
    const struct query_scan_wants wants = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct query_scan scan;
    int got;
    (void)ask;
    free(c->of);
    c->at = 0;
    c->of = calloc(query_jfr_count(q->jfr) + 1, sizeof(*c->of));
    if (!c->of)
        return -ENOMEM;
    query_scan_begin(&scan, q, &wants);
    while ((got = query_scan_next(&scan)) > 0)
        add(&c->of[scan.bind->known->number], query_scan_duration_ns(&scan));
    query_scan_end(&scan);
    return got < 0 ? got : next_type(base);
}

static int give_column(struct query_table_cursor *base, struct query_value *to, uint32_t column)
{
    const struct sums_cursor *c = (struct sums_cursor *)base;
    const struct sums *s = &c->of[c->at - 1];
    switch (column) {
    case 0:
        query_table_give_text(to, query_jfr_at(base->table->query->jfr, c->at - 1)->name);
        break;
    case 1:
        query_value_number(to, s->events);
        break;
    case 2:
        if (s->is_over)
            return E_LIMIT;
        else
            query_value_number(to, s->duration);
        break;
    default:
        query_value_number(to, column == 3 ? s->shortest : s->longest);
    }
    return 0;
}

static void end_sums(struct query_table_cursor *base)
{
    struct sums_cursor *c = (struct sums_cursor *)base;
    free(c->of);
    c->of = NULL;
}

int query_sums_open(struct query *q)
{
    static const struct query_table_column columns[] = {
        {"type", "TEXT", NULL, 0, 0},    {"~count", "INTEGER", NULL, 0, 0},
        {"~sum", "INTEGER", NULL, 0, 0}, {"~min", "INTEGER", NULL, 0, 0},
        {"~max", "INTEGER", NULL, 0, 0},
    };
    static const struct query_table_kind kind = {sizeof(struct sums_cursor), begin_sums, next_type,
                                                 give_column, end_sums};
    static const struct query_table table = {.kind = &kind,
                                             .name = "~events",
                                             .about = "The events of each type, summed up.",
                                             QUERY_TABLE_COLUMNS(columns),
                                             .rows = 200,
                                             .is_idle = true};
    return query_add_copy(q, &table);
}

/* ---- queries */

enum { TOKENS_MAX = 200 };

struct token {
    const char *at;
    int len;
};

struct tokens {
    struct token of[TOKENS_MAX];
    int count;
};

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$' || (unsigned char)c >= 0x80;
}

/* Parts the statement. False: it has something that these queries do not have: comments, quoted
 * names, or too many words. */
static bool split(const char *sql, int len, struct tokens *t)
{
    for (int i = 0; i < len;) {
        int begin = i;
        if (strchr(" \t\r\n", sql[i])) {
            i++;
            continue;
        }
        if (strchr("\"`[", sql[i]) || (sql[i] == '-' && sql[i + 1] == '-') ||
            (sql[i] == '/' && sql[i + 1] == '*') || t->count == TOKENS_MAX)
            return false;
        if (sql[i] == '\'') {
            do
                i++;
            while (i < len && sql[i] != '\'');
            i++;
        } else {
            do
                i++;
            while (i < len && is_of_word(sql[begin]) && is_of_word(sql[i]));
        }
        t->of[t->count++] = (struct token){sql + begin, i - begin};
    }
    while (t->count > 0 && t->of[t->count - 1].at[0] == ';')
        t->count--;
    return true;
}

static bool is(const struct tokens *t, int i, const char *word)
{
    return i >= 0 && i < t->count && t->of[i].len == (int)strlen(word) &&
           sqlite3_strnicmp(t->of[i].at, word, t->of[i].len) == 0;
}

static bool is_any(const struct tokens *t, int i, const char *const *words)
{
    for (; *words; words++)
        if (is(t, i, *words))
            return true;
    return false;
}

/* What stands for an aggregate of four tokens that begins at `i`; NULL: none begins there. */
static const char *sum_of(const struct tokens *t, int i)
{
    static const struct {
        const char *name, *argument, *sum;
    } rows[] = {{"count", "*", "sum(\"~count\")"},
                {"sum", "duration", "sum(\"~sum\")"},
                {"min", "duration", "min(\"~min\")"},
                {"max", "duration", "max(\"~max\")"},
                {"avg", "duration", "(1.0*sum(\"~sum\")/sum(\"~count\"))"}};
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        if (is(t, i, rows[k].name) && is(t, i + 1, "(") && is(t, i + 2, rows[k].argument) &&
            is(t, i + 3, ")"))
            return rows[k].sum;
    return NULL;
}

/* Words that may stand in such a query, beside `type`, aggregates, numbers and names behind `as`.
 */
static bool is_harmless(const struct tokens *t, int i)
{
    static const char *const words[] = {"select", "from",  "events", "group", "by",
                                        "order",  "limit", "desc",   "asc",   "as",
                                        "type",   "ms",    "round",  "1",     NULL};
    char c = t->of[i].at[0];
    return is_any(t, i, words) || is(t, i - 1, "as") || (c >= '0' && c <= '9') ||
           (t->of[i].len == 1 && strchr(",()*/+-", c));
}

/* Whether a name that a column got is used again, as in `order by events`. */
static bool is_alias(const struct tokens *t, int i)
{
    for (int k = 1; k < i; k++)
        if (is(t, k - 1, "as") && t->of[k].len == t->of[i].len &&
            sqlite3_strnicmp(t->of[k].at, t->of[i].at, t->of[i].len) == 0)
            return true;
    return false;
}

/* Whether a word of GROUP BY is the column `type`, or the number of it. */
static bool is_type(const struct tokens *t, int i)
{
    return is(t, i, "type") ||
           (is(t, i, "1") && is(t, 1, "type") && (is(t, 2, ",") || is(t, 2, "from")));
}

/* Whether the one table is `events`, and the rows are grouped by type. */
static bool has_shape(const struct tokens *t)
{
    int selects = 0, froms = 0, groups = 0;
    for (int i = 0; i < t->count; i++) {
        selects += is(t, i, "select");
        if (is(t, i, "from"))
            froms += is(t, i + 1, "events") && is(t, i + 2, "group") ? 1 : 2;
        if (is(t, i, "group"))
            groups += is(t, i + 1, "by") && is_type(t, i + 2) &&
                              (i + 3 == t->count || is(t, i + 3, "order") || is(t, i + 3, "limit"))
                          ? 1
                          : 2;
        if (is(t, i, "as") && is(t, i + 1, "type")) /* something else has the name */
            return false;
    }
    return is(t, 0, "select") && selects == 1 && froms == 1 && groups == 1;
}

char *query_sums_rewrite(const char *sql, int len)
{
    struct tokens t = {.count = 0};
    if (!split(sql, len, &t) || !has_shape(&t))
        return NULL;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (int i = 0; i < t.count; i++) {
        const char *sum = sum_of(&t, i);
        if (sum) {
            sqlite3_str_appendf(text, " %s", sum);
            i += 3;
        } else if (is(&t, i - 1, "from")) {
            sqlite3_str_appendall(text, " \"~events\"");
        } else if (is_harmless(&t, i) || is_alias(&t, i)) {
            sqlite3_str_appendf(text, " %.*s", t.of[i].len, t.of[i].at);
        } else {
            sqlite3_free(sqlite3_str_finish(text));
            return NULL;
        }
    }
    return sqlite3_str_finish(text);
}
