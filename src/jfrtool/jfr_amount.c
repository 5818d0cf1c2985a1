/*
 * jfr_amount.c - see jfr_amount.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_amount.h"
#include <math.h>
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_quantity.h"
#include "jfrtool/jfr_units.h"
#include "jfrtool/jfr_where.h"
#include "jfr/jfr_value.h"
#include "safe/clock.h"

struct jfr_amount_unit jfr_amount_unit_of(const struct jfr_value *value)
{
    const struct jfr_field *f = value->field;
    enum jfr_amount_kind kind = f->content >= JFR_TICKS_STAMP                     ? JFR_AMOUNT_STAMP
                                : f->content != JFR_PLAIN                         ? JFR_AMOUNT_SPAN
                                : f->marks & (JFR_BYTES_AMOUNT | JFR_BITS_AMOUNT) ? JFR_AMOUNT_SIZE
                                : f->marks & JFR_PERCENTAGE && value->shape == JFR_REAL
                                    ? JFR_AMOUNT_SHARE
                                    : JFR_AMOUNT_COUNT;
    return (struct jfr_amount_unit){kind, f->marks};
}

static int64_t whole_of(double real)
{
    return real >= JFR_QUANTITY_EVER    ? INT64_MAX
           : real <= -JFR_QUANTITY_EVER ? INT64_MIN
                                        : (int64_t)real;
}

bool jfr_amount_of(const struct jfr_printer *o, const struct jfr_value *value, double *ret_real,
                   int64_t *ret_whole)
{
    enum jfr_content content = value->field ? value->field->content : JFR_PLAIN;
    if (!value->field || !jfr_where_number(o, value, ret_real) || isinf(*ret_real))
        return false;
    *ret_whole = whole_of(*ret_real);
    if (value->shape == JFR_NUMBER && content == JFR_TICKS_STAMP)
        *ret_whole = jfr_chunk_time_ns(o->chunk, value->number);
    else if (value->shape == JFR_NUMBER && content == JFR_MILLIS_STAMP)
        *ret_whole = (int64_t)((uint64_t)value->number * NS_PER_MS);
    else if (value->shape == JFR_NUMBER && content == JFR_PLAIN)
        *ret_whole = jfr_value_widened(value);
    if (content >= JFR_TICKS_STAMP && value->shape == JFR_NUMBER)
        *ret_real = (double)*ret_whole;
    return true;
}

void jfr_amount_put(struct textbuf *t, struct jfr_amount_unit unit, double amount)
{
    bool fits = amount > -JFR_QUANTITY_EVER && amount < JFR_QUANTITY_EVER;
    if (isnan(amount))
        textbuf_text(t, "N/A");
    else if (unit.kind == JFR_AMOUNT_SPAN && amount >= JFR_QUANTITY_EVER)
        textbuf_text(t, "Forever");
    else if (unit.kind == JFR_AMOUNT_SPAN && fits)
        jfr_units_duration(t, javatext_span_of((int64_t)round(amount), 1), false);
    else if (unit.kind == JFR_AMOUNT_SIZE && fits)
        jfr_units_amount(t, (int64_t)amount, unit.marks, false);
    else if (unit.kind == JFR_AMOUNT_SHARE)
        jfr_units_share(t, amount, 2);
    else
        textbuf_printf(t, "%.15g", amount);
}
