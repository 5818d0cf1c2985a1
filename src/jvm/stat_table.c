/*
 * stat_table.c - see stat_table.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/stat_table.h"
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "jvm/asking.h"
#include "jvm/heap_counters.h"
#include "jvm/stat_value.h"
#include "perfdata/perfdata.h"

/* ---- the columns of jstat
 *
 * Source: JDK sun.tools.jstat (RowClosure, HeaderClosure, Alignment, ColumnFormat). */

enum { ALL = 1000, NAME_BYTES = 128, NUMBER_BYTES = 64, MB = 1 << 20 };

enum side { LEFT, CENTER, RIGHT };

static const struct column {
    const char *option, *head, *value;
    int since, until;
    enum side head_side, side;
    int width, scale, digits;
    bool is_required;
} columns[] = {
#define COLUMN(option, since, until, head, head_side, side, width, scale, digits, required, value) \
    {#option, head, value, since, until, head_side, side, width, scale, digits, required},
#include "jvm/stat_columns.def"
#undef COLUMN
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

bool stat_table_is_option(const char *word)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(columns[i].option, word) == 0)
            return strcmp(word, "timestamp") != 0;
    return false;
}

const char *stat_table_options(void)
{
    return "class compiler gc gccapacity gccause gcmetacapacity gcnew gcnewcapacity gcold "
           "gcoldcapacity gcutil printcompilation";
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The width of a column: the largest of its head, its format and the JDK's width. */
static int width_of(const struct column *c)
{
    int format = c->digits < 0 ? 0 : c->digits == 0 ? 1 : 2 + c->digits;
    return larger(larger(c->width, format), (int)strlen(c->head));
}

static void put_aligned(const char *text, size_t len, enum side side, int width)
{
    int pad = width > (int)len ? width - (int)len : 0;
    int before = side == RIGHT ? pad : side == LEFT ? 0 : pad / 2;
    printf("%*s", before, "");
    asking_put(text, len);
    printf("%*s", pad - before, "");
}

/* The text of a counter that is shown unchanged; "-": the counter is missing. */
static const char *plain_value(const struct column *c, const struct perfdata *p,
                               char number[NUMBER_BYTES], size_t *ret_len)
{
    char name[NAME_BYTES];
    stat_value_name(c->value, name, sizeof(name));
    const struct perfdata_row *row = perfdata_find(p, name);
    if (row && row->len != 0)
        return perfdata_text(p, row, ret_len);
    if (row)
        snprintf(number, NUMBER_BYTES, "%" PRId64, perfdata_number(p, row));
    else
        snprintf(number, NUMBER_BYTES, "-");
    *ret_len = strlen(number);
    return number;
}

static void put_value(const struct column *c, const struct perfdata *p)
{
    char number[NUMBER_BYTES];
    const char *text = number;
    size_t len;
    if (c->digits < 0) {
        text = plain_value(c, p, number, &len);
    } else {
        double value = stat_value_number(p, c->value, c->is_required) / c->scale;
        if (isnan(value))
            snprintf(number, sizeof(number), "-");
        else
            snprintf(number, sizeof(number), "%.*f", c->digits, value);
        len = strlen(number);
    }
    put_aligned(text, len, c->side, width_of(c));
}

/* Prints a line of values; `p` NULL: the line of heads. */
static void print_line(const struct stat_table *t, const struct perfdata *p)
{
    const char *parting = "";
    for (int i = 0; i < COLUMNS; i++) {
        const struct column *c = &columns[i];
        bool is_time = strcmp(c->option, "timestamp") == 0;
        if (t->release < c->since || t->release > c->until ||
            (is_time ? !t->has_time : strcmp(c->option, t->option) != 0))
            continue;
        fputs(parting, stdout);
        parting = " ";
        if (p)
            put_value(c, p);
        else
            put_aligned(c->head, strlen(c->head), c->head_side, width_of(c));
    }
    putchar('\n');
}

void stat_table_print_head(const struct stat_table *t)
{
    print_line(t, NULL);
}

void stat_table_print_row(const struct stat_table *t, const struct perfdata *p)
{
    print_line(t, p);
}

/* ---- columns of our own */

void stat_table_print_own_head(void)
{
    puts("   UPTIME     HEAP     SIZE     META  YOUNG    TIME FULL    TIME CONC    TIME THREADS "
         "CLASSES   STOP  CAUSE");
}

static double number_of(const struct perfdata *p, const char *text)
{
    return stat_value_number(p, text, false);
}

static void put_mb(double bytes, bool is_old)
{
    if (isnan(bytes))
        printf(" %8s", "-");
    else
        printf(" %6.1fM%s", bytes / MB, is_old ? "*" : " ");
}

static void put_count(double count, int width)
{
    if (isnan(count))
        printf(" %*s", width, "-");
    else
        printf(" %*.0f", width, count);
}

static void put_seconds(double s, int width)
{
    if (isnan(s))
        printf(" %*s", width, "-");
    else
        printf(" %*.3f", width, s);
}

static bool is_shenandoah(const struct perfdata *p)
{
    size_t len;
    const char *name = perfdata_text_of(p, "sun.gc.policy.name", &len);
    return name && len == strlen("Shenandoah") && memcmp(name, "Shenandoah", len) == 0;
}

void stat_table_print_own_row(const struct perfdata *p, const struct heap_counters *heap,
                              double uptime_s, double stop_s)
{
    size_t len;
    bool has_pauses = is_shenandoah(p);
    const char *cause = heap_counters_cause(p, &len);
    if (uptime_s < 0)
        printf("%9s", "-");
    else
        printf("%9.1f", uptime_s);
    put_mb(heap->used_bytes, heap->is_old);
    put_mb(heap->size_bytes, false);
    put_mb(number_of(p, "MS.used"), true);
    put_count(number_of(p, "C0.invocations"), 6);
    put_seconds(number_of(p, "C0.time/HZ"), 7);
    put_count(has_pauses ? NAN : number_of(p, "C1.invocations"), 4);
    put_seconds(has_pauses ? NAN : number_of(p, "C1.time/HZ"), 7);
    put_count(number_of(p, has_pauses ? "C1.invocations" : "C2.invocations"), 4);
    put_seconds(number_of(p, has_pauses ? "C1.time/HZ" : "C2.time/HZ"), 7);
    put_count(number_of(p, "java.threads.live"), 7);
    put_count(number_of(p, "java.cls.loadedClasses+java.cls.sharedLoadedClasses-"
                           "java.cls.unloadedClasses-java.cls.sharedUnloadedClasses"),
              7);
    put_seconds(heap_counters_stopped_s(p) + stop_s, 6);
    fputs(stop_s > 0 ? "! " : "  ", stdout);
    if (cause)
        asking_put(cause, len);
    putchar('\n');
}
