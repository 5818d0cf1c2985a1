/*
 * query_aggregate.c - see query_aggregate.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_aggregate.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include "query/query_table.h"

enum { POWERS = 64, PERCENT = 100 };

/* ---- percentile(x, p) */

struct values {
    double *of;
    uint64_t count, room;
    double percent;
    int is_begun;
};

static void add_value(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    struct values *v = sqlite3_aggregate_context(to, sizeof(*v));
    double percent = sqlite3_value_double(argv[1]);
    (void)argc;
    if (!v) {
        sqlite3_result_error_nomem(to);
        return;
    }
    if (!query_table_is_number(argv[1]) || !(percent >= 0 && percent <= PERCENT) ||
        (v->is_begun && v->percent != percent)) {
        sqlite3_result_error(
            to, "percentile: wanted is one number from 0 to 100, as in percentile(duration, 99)",
            -1);
        return;
    }
    v->percent = percent;
    v->is_begun = 1;
    if (!query_table_is_number(argv[0]))
        return;
    if (v->count == v->room) {
        uint64_t room = v->room * 2 + 128;
        double *more = sqlite3_realloc64(v->of, room * sizeof(*more));
        if (!more) {
            sqlite3_result_error_nomem(to);
            return;
        }
        v->of = more;
        v->room = room;
    }
    v->of[v->count++] = sqlite3_value_double(argv[0]);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between two values the result lies on the line between them, as in SQLite's own percentile(). */
static void give_percentile(sqlite3_context *to)
{
    struct values *v = sqlite3_aggregate_context(to, 0);
    if (!v)
        return;
    if (v->count > 0) {
        qsort(v->of, v->count, sizeof(*v->of), compare);
        double at = v->percent / PERCENT * (double)(v->count - 1);
        uint64_t low = (uint64_t)at, high = low + 1 < v->count ? low + 1 : low;
        sqlite3_result_double(to, v->of[low] + (v->of[high] - v->of[low]) * (at - (double)low));
    }
    sqlite3_free(v->of);
    v->of = NULL;
    v->count = v->room = 0;
}

/* The value as the JDK's tool computes it: its place is a part of (count + 1), and a fraction of
 * the result is dropped, because values are nanoseconds. Source: jdk.jfr, Function.Percentile. */
static void give_rank_percentile(sqlite3_context *to)
{
    struct values *v = sqlite3_aggregate_context(to, 0);
    if (!v)
        return;
    if (v->count > 0) {
        qsort(v->of, v->count, sizeof(*v->of), compare);
        double place = (double)(v->count + 1) * (v->percent / PERCENT), number = v->of[0];
        uint64_t at = (uint64_t)place;
        if (at >= v->count)
            number = v->of[v->count - 1];
        else if (at >= 1)
            number = v->of[at - 1] + (place - (double)at) * (v->of[at] - v->of[at - 1]);
        sqlite3_result_int64(to, (sqlite3_int64)number);
    }
    sqlite3_free(v->of);
    v->of = NULL;
    v->count = v->room = 0;
}

/* ---- first(x, t), last(x, t) */

struct at {
    sqlite3_value *value;
    double time;
    sqlite3_int64 whole; /* the time, if it is a whole number */
};

/* Keeps the value if its time is before, or not before, the kept one. NULL is no value. */
static void keep(sqlite3_context *to, sqlite3_value **argv, bool is_last)
{
    struct at *a = sqlite3_aggregate_context(to, sizeof(*a));
    if (!a) {
        sqlite3_result_error_nomem(to);
        return;
    }
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || !query_table_is_number(argv[1]))
        return;
    sqlite3_int64 whole = sqlite3_value_int64(argv[1]);
    double time = sqlite3_value_double(argv[1]);
    bool is_less = whole != a->whole ? whole < a->whole : time < a->time;
    bool is_same = whole == a->whole && !(time < a->time) && !(time > a->time);
    if (a->value && (is_last ? is_less : !is_less || is_same))
        return;
    sqlite3_value *copy = sqlite3_value_dup(argv[0]);
    if (!copy) {
        sqlite3_result_error_nomem(to);
        return;
    }
    sqlite3_value_free(a->value);
    *a = (struct at){copy, time, whole};
}

static void add_first(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    (void)argc;
    keep(to, argv, false);
}

static void add_last(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    (void)argc;
    keep(to, argv, true);
}

static void give_kept(sqlite3_context *to)
{
    struct at *a = sqlite3_aggregate_context(to, 0);
    if (!a || !a->value)
        return;
    sqlite3_result_value(to, a->value);
    sqlite3_value_free(a->value);
    a->value = NULL;
}

/* ---- histogram(x) */

struct powers {
    uint64_t of[POWERS]; /* 0: below 1; N: from 2^(N-1) to 2^N */
    uint64_t count;
};

static void add_power(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    struct powers *p = sqlite3_aggregate_context(to, sizeof(*p));
    (void)argc;
    if (!p) {
        sqlite3_result_error_nomem(to);
        return;
    }
    if (!query_table_is_number(argv[0]))
        return;
    sqlite3_int64 x = sqlite3_value_int64(argv[0]);
    p->of[x < 1 ? 0 : POWERS - __builtin_clzll((unsigned long long)x)]++;
    p->count++;
}

static void give_histogram(sqlite3_context *to)
{
    const struct powers *p = sqlite3_aggregate_context(to, 0);
    const char *comma = "";
    if (!p || p->count == 0)
        return;
    sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(to));
    sqlite3_str_appendall(text, "{");
    for (int i = 0; i < POWERS; i++)
        if (p->of[i] > 0) {
            sqlite3_str_appendf(text, "%s\"%llu\":%llu", comma, i > 0 ? 1ULL << (i - 1) : 0ULL,
                                (unsigned long long)p->of[i]);
            comma = ",";
        }
    sqlite3_str_appendall(text, "}");
    char *whole = sqlite3_str_finish(text);
    if (whole)
        sqlite3_result_text(to, whole, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(to);
}

int query_aggregate_open(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    if (sqlite3_create_function_v2(db, "percentile", 2, flags, NULL, NULL, add_value,
                                   give_percentile, NULL) != SQLITE_OK ||
        sqlite3_create_function_v2(db, "rank_percentile", 2, flags, NULL, NULL, add_value,
                                   give_rank_percentile, NULL) != SQLITE_OK ||
        sqlite3_create_function_v2(db, "first", 2, flags, NULL, NULL, add_first, give_kept, NULL) !=
            SQLITE_OK ||
        sqlite3_create_function_v2(db, "last", 2, flags, NULL, NULL, add_last, give_kept, NULL) !=
            SQLITE_OK ||
        sqlite3_create_function_v2(db, "histogram", 1, flags, NULL, NULL, add_power, give_histogram,
                                   NULL) != SQLITE_OK)
        return -ENOMEM;
    return 0;
}
