/*
 * jfr_view_all.c - see jfr_view_all.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jfr_view_all.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cli/cmd.h"
#include "cli/jfr_census.h"
#include "cli/jfr_view.h"
#include "cli/say.h"

static int by_name(const void *x, const void *y)
{
    const struct jfr_census_row *a = x, *b = y;

    return strcmp(a->name, b->name);
}

/* What the file has, in the order of names. Errors: as jfr_census_take(). */
static int take(struct jfr_census *c, const char *path)
{
    int error = jfr_census_take(c, path, NULL);

    if (c->count > 0)
        qsort(c->rows, c->count, sizeof(*c->rows), by_name);
    return error;
}

static int print_views(const struct jfr_view *view, const char *path)
{
    struct jfr_view one = *view;
    int status = CMD_OK;

    for (size_t i = 0; (one.name = jfr_view_name(i)) != NULL; i++)
        if (jfr_view_print_any(&one, path) != CMD_OK)
            status = CMD_FAILED;
    return status;
}

static int print_events(const struct jfr_view *view, const char *path)
{
    struct jfr_view one = *view;
    struct jfr_census c;
    int error = take(&c, path), status = error == 0 ? CMD_OK : CMD_FAILED;

    for (size_t i = 0; (error == 0 || error == E_TRUNCATED) && i < c.count; i++) {
        one.name = c.rows[i].name;
        if (c.rows[i].count > 0 && jfr_view_print_any(&one, path) != CMD_OK)
            status = CMD_FAILED;
    }
    jfr_census_done(&c);
    return status;
}

static int print_types(const struct jfr_view *view, const char *path)
{
    struct jfr_census c;
    int error = take(&c, path);

    (void)view;
    for (size_t i = 0; (error == 0 || error == E_TRUNCATED) && i < c.count; i++) {
        printf("%10" PRIu64 "  ", c.rows[i].count);
        say_clean(stdout, c.rows[i].name);
        putchar('\n');
    }
    jfr_census_done(&c);
    return error == 0 ? CMD_OK : CMD_FAILED;
}

static const struct word {
    const char *name, *title;
    int (*print)(const struct jfr_view *view, const char *path);
} words[] = {
    {"all-views", "Each of these that the file has events for", print_views},
    {"all-events", "A table for each type of event that the file has", print_events},
    {"types", "The types of events, and how many of each the file has", print_types},
};

static const struct word *find(const char *name)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].name, name) == 0)
            return &words[i];
    return NULL;
}

bool jfr_view_all_is(const char *name)
{
    return find(name) != NULL;
}

int jfr_view_all_print(const struct jfr_view *view, const char *path)
{
    return find(view->name)->print(view, path);
}

void jfr_view_all_list(void)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        printf("%-28s %s\n", words[i].name, words[i].title);
}
