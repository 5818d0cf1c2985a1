/*
 * jfr_amount.h - numbers that are made of the values of a field, such as sums: their units, and how
 * people read them.
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
    JFR_AMOUNT_SPAN,  /* nanoseconds */
    JFR_AMOUNT_STAMP, /* nanoseconds since the epoch; the difference of two stamps is a span */
    JFR_AMOUNT_SIZE,  /* bytes or bits, or bytes or bits per second */
    JFR_AMOUNT_SHARE, /* 1 is the whole */
};

/** The unit of a field's numbers. */
struct jfr_amount_unit {
    enum jfr_amount_kind kind;
    unsigned marks; /* bits of enum jfr_mark; for JFR_AMOUNT_SIZE only */
};

struct jfr_amount_unit jfr_amount_unit_of(const struct jfr_value *value);
/**
 * The value as a number in that unit. *ret_real is the nearest double. *ret_whole is exact to the
 * nanosecond or byte, if the value has no fraction. Returns false if the value is not a number, or
 * stands for a missing number.
 */
bool jfr_amount_of(const struct jfr_printer *o, const struct jfr_value *value, double *ret_real,
                   int64_t *ret_whole);
/** Writes an amount as people read it. NAN is written as N/A. A span that does not fit into 64 bits
 * is written as endless. A stamp cannot be written. */
void jfr_amount_put(struct textbuf *t, struct jfr_amount_unit unit, double amount);
