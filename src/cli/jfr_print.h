/*
 * jfr_print.h - the events of a JFR file, one after the other in the order of their ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "cli/jfr_filter.h"
#include "cli/jfr_printer.h"
#include "cli/jfr_range.h"

struct jfr_record;
struct jfr_type;

/** A way to write events. */
struct jfr_print_style {
    void (*begin)(struct jfr_printer *o);
    void (*event)(struct jfr_printer *o, const struct jfr_type *type,
                  const struct jfr_record *record);
    void (*end)(struct jfr_printer *o);
};

struct jfr_print {
    struct jfr_filter filter;
    const struct jfr_print_style *style;
    struct window range;
    enum jfr_printer_clock clock;
    unsigned stack_depth;
    bool is_exact;
};

/** Prints to standard output. Returns an enum cmd_status. */
int jfr_print_file(const struct jfr_print *p, const char *path);
