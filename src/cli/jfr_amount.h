/*
 * jfr_amount.h - numbers that are made of the values of a field, such as sums: what they count, and
 * how people read them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct jfr_printer;
struct jfr_value;
struct textbuf;

enum jfr_amount_kind {
    JFR_AMOUNT_COUNT,
    JFR_AMOUNT_SPAN,  /* ns */
    JFR_AMOUNT_STAMP, /* ns since the epoch; a difference of two is a span */
    JFR_AMOUNT_SIZE,  /* bytes or bits, or so many in a second */
    JFR_AMOUNT_SHARE, /* 1 is all of it */
};

/** What the numbers of a field are. */
struct jfr_amount_unit {
    enum jfr_amount_kind kind;
    unsigned marks; /* enum jfr_mark, of a size */
};

struct jfr_amount_unit jfr_amount_unit_of(const struct jfr_value *value);
/**
 * What a value is in that unit: `real` as near as a double is, `whole` to the ns or byte where it
 * has no fraction. Returns false where it is no number, or says that there is none.
 */
bool jfr_amount_of(const struct jfr_printer *o, const struct jfr_value *value, double *ret_real,
                   int64_t *ret_whole);
/** NAN is N/A; a span that no 64 bits hold is without end. Stamps are none that can be written. */
void jfr_amount_put(struct textbuf *t, struct jfr_amount_unit unit, double amount);
