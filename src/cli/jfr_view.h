/*
 * jfr_view.h - tables over the events of a JFR file: those that have a name, and those of one's
 * own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "cli/jfr_fit.h"
#include "cli/jfr_where.h"

enum { JFR_VIEW_KEYS = 8 };

struct jfr_view {
    const char *name; /* of a view, or of events */
    struct jfr_where_set where;
    const char *keys[JFR_VIEW_KEYS]; /* fields, or EVENT.FIELD of the event around */
    uint32_t key_count;              /* 0: the view's own group, or rows */
    const char *sum;                 /* a field; NULL: the view's, or none */
    uint32_t top;                    /* rows; 0: as many as a view has of itself, or 20 */
    struct jfr_fit layout;
    bool is_verbose; /* with the query */
};

/** Prints to standard output. Returns an enum cmd_status. */
int jfr_view_print(const struct jfr_view *view, const char *path);
