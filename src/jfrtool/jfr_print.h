/*
 * jfr_print.h - prints the events of a JFR file in the order of their ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "jfrtool/jfr_context.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_range.h"
#include "jfr/jfr_filter.h"

struct jfr_file;
struct jfr_order;
struct jfr_record;
struct jfr_type;

/** A way to write events. */
struct jfr_print_style {
    void (*begin)(struct jfr_printer *o);
    void (*event)(struct jfr_printer *o, const struct jfr_type *type,
                  const struct jfr_record *record);
    void (*end)(struct jfr_printer *o);
    /* Adds to each event what contextual events say; NULL: no contexts. */
    jfr_context_writer *context;
    bool is_data; /* the text is for other programs */
};

struct jfr_print {
    struct jfr_filter filter;
    const struct jfr_print_style *style;
    struct window range;
    enum jfr_printer_clock clock;
    unsigned stack_depth;
    bool is_exact;
};

/**
 * Prints the events of the chunk that `f` has open, without those in its first `from` bytes.
 * `range` is resolved by the first chunk. Errors: 0; E_UNSUPPORTED: the chunk's clock cannot give
 * the wanted times; E_LIMIT: the text has reached its bound, see jfr_printer_say(); -ENOMEM; the
 * sink's.
 */
int jfr_print_chunk(const struct jfr_print *p, struct window *range, struct jfr_file *f,
                    struct jfr_order *order, struct jfr_printer *out, size_t from);
/** Prints to standard output. Returns an enum cmd_result. */
int jfr_print_file(const struct jfr_print *p, const char *path);
