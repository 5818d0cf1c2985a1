/*
 * jfr_column.c - see jfr_column.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_column.h"
#include <stdio.h>
#include <string.h>

static const struct function {
    const char *word;
    enum jfr_column_sum sum;
    double percentile;
} functions[] = {
    {"count", JFR_COLUMN_COUNT, 0},       {"sum", JFR_COLUMN_TOTAL, 0},
    {"avg", JFR_COLUMN_AVERAGE, 0},       {"min", JFR_COLUMN_MINIMUM, 0},
    {"max", JFR_COLUMN_MAXIMUM, 0},       {"median", JFR_COLUMN_PERCENTILE, 0.5},
    {"p90", JFR_COLUMN_PERCENTILE, 0.9},  {"p95", JFR_COLUMN_PERCENTILE, 0.95},
    {"p99", JFR_COLUMN_PERCENTILE, 0.99}, {"p999", JFR_COLUMN_PERCENTILE, 0.999},
    {"diff", JFR_COLUMN_DIFFERENCE, 0},   {"first", JFR_COLUMN_VALUE, 0},
    {"last", JFR_COLUMN_LAST, 0},         {"batch", JFR_COLUMN_BATCH, 0},
    {"unique", JFR_COLUMN_UNIQUE, 0},     {"set", JFR_COLUMN_SET, 0},
};

bool jfr_column_next(const char **list, char part, char name[JFR_COLUMN_TEXT])
{
    const char parts[] = {part, '\0'};
    size_t len = strcspn(*list, parts);
    if (len == 0)
        return false;
    snprintf(name, JFR_COLUMN_TEXT, "%.*s", (int)len, *list);
    *list += len + ((*list)[len] == part);
    return true;
}

uint32_t jfr_column_read_sources(const char *text, struct jfr_column_source *rows)
{
    char word[JFR_COLUMN_TEXT];
    uint32_t count = 0;
    while (count < JFR_COLUMN_SOURCES && jfr_column_next(&text, ',', word)) {
        struct jfr_column_source *s = &rows[count++];
        const char *at = word;
        *s = (struct jfr_column_source){0};
        if (at[0] != '\0' && at[1] == '=') {
            s->letter = at[0];
            at += 2;
        }
        size_t len = strcspn(at, "[");
        snprintf(s->events, sizeof(s->events), "%.*s", (int)len, at);
        at += len + (at[len] == '[');
        snprintf(s->conditions, sizeof(s->conditions), "%.*s", (int)strcspn(at, "]"), at);
    }
    return count;
}

/* If a function such as "max(" begins here, moves *at to its argument and removes the closing
 * parenthesis. Returns false if none begins here. */
static bool take_function(char **at, struct jfr_column *c)
{
    size_t len = strlen(*at);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        size_t word = strlen(functions[i].word);
        if (strncmp(*at, functions[i].word, word) != 0 || (*at)[word] != '(')
            continue;
        c->sum = functions[i].sum;
        c->percentile = functions[i].percentile;
        (*at)[len - 1] = '\0';
        *at += word + 1;
        return true;
    }
    return false;
}

/* Takes the letters of sources and the dot, as in "BE.". Returns their bits. */
static uint32_t take_letters(char **at, const struct jfr_column_source *sources, uint32_t count)
{
    size_t len = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    uint32_t bits = 0;
    if (len == 0 || (*at)[len] != '.')
        return 0;
    for (size_t i = 0; i < len; i++)
        for (uint32_t s = 0; s < count; s++)
            if (sources[s].letter == (*at)[i])
                bits |= 1u << s;
    *at += len + 1;
    return bits;
}

uint32_t jfr_column_read(const char *text, const struct jfr_column_source *sources,
                         uint32_t source_count, struct jfr_column *rows)
{
    static const char share[] = "share(";
    char word[JFR_COLUMN_TEXT];
    uint32_t count = 0;
    while (count < JFR_COLUMN_MAX && jfr_column_next(&text, ',', word)) {
        struct jfr_column *c = &rows[count++];
        char *at = word, *equals = strchr(word, '=');
        *c = (struct jfr_column){.batch_ns = INT64_MIN};
        if (equals) {
            *equals = '\0';
            snprintf(c->heading, sizeof(c->heading), "%s", word);
            at = equals + 1;
        }
        if (strncmp(at, share, sizeof(share) - 1) == 0) {
            c->is_share = true;
            at[strlen(at) - 1] = '\0';
            at += sizeof(share) - 1;
        }
        take_function(&at, c);
        c->sources = take_letters(&at, sources, source_count);
        snprintf(c->fields, sizeof(c->fields), "%s", at);
    }
    return count;
}
