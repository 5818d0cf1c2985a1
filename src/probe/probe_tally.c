/*
 * probe_tally.c - see probe_tally.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_tally.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/json_out.h"
#include "probe/probe_row.h"
#include "probe/probe_times.h"

enum { NAME_MOST = 192, CELL = 32 };

struct line {
    char name[NAME_MOST]; /* of the probe or pair */
    struct probe_hit_value value;
    uint64_t hits;
    struct probe_times *times; /* NULL: a probe alone */
};

struct probe_tally {
    const char *by;
    struct line *lines[PROBE_TALLY_LINES];
    uint32_t count;
    uint64_t more; /* hits that found no line */
};

struct probe_tally *probe_tally_new(const char *by)
{
    struct probe_tally *t = calloc(1, sizeof(*t));
    if (t)
        t->by = by;
    return t;
}

void probe_tally_free(struct probe_tally *t)
{
    for (uint32_t i = 0; t && i < t->count; i++) {
        free(t->lines[i]->times);
        free(t->lines[i]);
    }
    free(t);
}

static struct line *new_line(struct probe_tally *t, const char *name, bool is_pair)
{
    struct line *line = t->count < PROBE_TALLY_LINES ? calloc(1, sizeof(*line)) : NULL;
    if (line && is_pair)
        line->times = calloc(1, sizeof(*line->times));
    if (!line || (is_pair && !line->times)) {
        free(line);
        return NULL;
    }
    snprintf(line->name, sizeof(line->name), "%s", name);
    t->lines[t->count++] = line;
    return line;
}

void probe_tally_add(struct probe_tally *t, const struct probe_row *row, uint64_t hits)
{
    static const struct probe_hit_value none = {.is = PROBE_HIT_NONE};
    const struct probe_row_field *field = t->by ? probe_row_field(row, t->by) : NULL;
    const struct probe_hit_value *value = field && field->value ? field->value : &none;
    struct line *line = NULL;
    char name[NAME_MOST];
    if (row->end)
        snprintf(name, sizeof(name), "%s", row->pair);
    else
        snprintf(name, sizeof(name), "%s:%s", row->form->provider, row->form->name);
    for (uint32_t i = 0; i < t->count && !line; i++)
        if (strcmp(t->lines[i]->name, name) == 0 && probe_row_is_value(&t->lines[i]->value, value))
            line = t->lines[i];
    if (!line) {
        line = new_line(t, name, row->has_duration);
        if (!line) {
            t->more += hits;
            return;
        }
        line->value = *value;
    }
    line->hits += hits;
    if (line->times)
        probe_times_add(line->times, row->duration_ns);
}

/* ---- the table */

static int order_of(const void *left, const void *right)
{
    const struct line *a = *(struct line *const *)left, *b = *(struct line *const *)right;
    uint64_t of_a = a->times ? a->times->sum_ns : a->hits,
             of_b = b->times ? b->times->sum_ns : b->hits;
    if (!a->times != !b->times)
        return a->times ? -1 : 1;
    return of_a < of_b ? 1 : of_a > of_b ? -1 : strcmp(a->name, b->name);
}

static void put_times_json(struct sink *out, const struct probe_times *t)
{
    bool is_first = true;
    sink_printf(out,
                ",\"total_ns\":%llu,\"mean_ns\":%llu,\"min_ns\":%llu,\"p50_ns\":%llu,"
                "\"p90_ns\":%llu,\"p99_ns\":%llu,\"max_ns\":%llu,\"histogram\":[",
                (unsigned long long)t->sum_ns, (unsigned long long)(t->sum_ns / t->count),
                (unsigned long long)t->least_ns, (unsigned long long)probe_times_percentile(t, 0.5),
                (unsigned long long)probe_times_percentile(t, 0.9),
                (unsigned long long)probe_times_percentile(t, 0.99),
                (unsigned long long)t->most_ns);
    for (unsigned power = 0; power < 64; power++) {
        uint64_t count = probe_times_of_power(t, power);
        if (!count)
            continue;
        sink_printf(out, "%s{\"from_ns\":%llu,\"count\":%llu}", is_first ? "" : ",",
                    power ? 1ULL << power : 0ULL, (unsigned long long)count);
        is_first = false;
    }
    sink_u1(out, ']');
}

static void put_json(const struct probe_tally *t, struct sink *out, const struct line *line)
{
    sink_text(out, line->times ? "{\"pair\":" : "{\"probe\":");
    json_out_text(out, line->name, strlen(line->name));
    if (t->by) {
        sink_u1(out, ',');
        json_out_text(out, t->by, strlen(t->by));
        sink_u1(out, ':');
        probe_hit_put(out, &line->value, true);
    }
    sink_printf(out, ",\"%s\":%llu", line->times ? "count" : "hits",
                (unsigned long long)line->hits);
    if (line->times)
        put_times_json(out, line->times);
    sink_text(out, "}\n");
}

static void put_cell(struct sink *out, uint64_t ns)
{
    char cell[CELL];
    probe_times_text(cell, sizeof(cell), ns);
    sink_printf(out, " %9s", cell);
}

static void put_line(const struct probe_tally *t, struct sink *out, const struct line *line)
{
    const struct probe_times *times = line->times;
    sink_printf(out, "%12llu", (unsigned long long)line->hits);
    if (times) {
        put_cell(out, times->sum_ns);
        put_cell(out, times->sum_ns / times->count);
        put_cell(out, times->least_ns);
        put_cell(out, probe_times_percentile(times, 0.5));
        put_cell(out, probe_times_percentile(times, 0.99));
        put_cell(out, times->most_ns);
    }
    sink_text(out, "  ");
    sink_text(out, line->name);
    if (t->by) {
        sink_printf(out, "  %s=", t->by);
        probe_hit_put(out, &line->value, false);
    }
    sink_u1(out, '\n');
}

void probe_tally_write(struct probe_tally *t, struct sink *out, bool is_json)
{
    if (t->count > 0) /* NOLINTNEXTLINE(bugprone-sizeof-expression): the lines are pointers */
        qsort(t->lines, t->count, sizeof(*t->lines), order_of);
    for (uint32_t i = 0; i < t->count; i++) {
        if (!is_json && i == 0 && t->lines[0]->times)
            sink_printf(out, "%12s %9s %9s %9s %9s %9s %9s  %s\n", "COUNT", "TOTAL", "MEAN", "MIN",
                        "P50", "P99", "MAX", "PAIR");
        if (is_json)
            put_json(t, out, t->lines[i]);
        else
            put_line(t, out, t->lines[i]);
    }
    if (t->more && !is_json)
        sink_printf(out, "%12llu  of other values\n", (unsigned long long)t->more);
    else if (t->more)
        sink_printf(out, "{\"hits_of_other_values\":%llu}\n", (unsigned long long)t->more);
}
