/*
 * jfr_view.h - prints tables of the events of a JFR file: views with a name, and tables that the
 * user describes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jfrtool/jfr_fit.h"
#include "jfrtool/jfr_where.h"

enum { JFR_VIEW_KEYS = 8 };

struct jfr_view {
    const char *name; /* the name of a view or of events */
    struct jfr_where_set where;
    const char *keys[JFR_VIEW_KEYS]; /* fields, or EVENT.FIELD of an event around */
    uint32_t key_count;              /* 0: the view's own group, or rows of events */
    const char *sum;                 /* a field; NULL: the view's own, or none */
    uint32_t top;                    /* number of rows; 0: the view's own number, or 20 */
    struct jfr_fit layout;
    bool is_verbose; /* also print the query */
};

/** Prints to standard output. Returns an enum cmd_result. */
int jfr_view_print(const struct jfr_view *view, const char *path);
