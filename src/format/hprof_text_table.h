/*
 * hprof_text_table.h - CPU SAMPLES, CPU TIME, MONITOR TIME and the tables of their form, and that
 * of cpu=old.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "profile/event.h"

/** A table whose rows are shares of a total. */
struct hprof_text_table_form {
    const char *title;   /* before BEGIN and END; NULL: the kind has no such table */
    const char *exact;   /* the title of the same rows in ns; NULL: the shares are of counts */
    const char *unit;    /* behind the total */
    const char *subject; /* what the last column names */
};

/** By enum event_kind. */
extern const struct hprof_text_table_form hprof_text_table_forms[EVENT_KINDS];

struct hprof_out;
struct hprof_out_table;

/** Any table but that of sites. */
void hprof_text_table(struct hprof_out *o, struct hprof_out_table *t);
