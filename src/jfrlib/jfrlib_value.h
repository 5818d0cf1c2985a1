/*
 * jfrlib_value.h - what the library keeps in the private part of struct hprof_jfr_value.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "jfrlib/jfrlib.h"

struct jfrlib_value {
    struct hprof_jfr *of;
    uint64_t serial; /* the handle's when the value was read: another one means that it is stale */
    struct jfr_value value;
    struct leb next; /* of an array: the element with index `number` */
    uint64_t number;
};

/** The private part; NULL: the value is stale, or was never read. */
struct jfrlib_value *jfrlib_value_in(const struct hprof_jfr_value *value);
/** Reads the element of an array with that index, which must be less than v->value.count. Elements
 * are found fast when they are asked for in their order. */
void jfrlib_value_element(struct jfrlib_value *v, size_t number, struct jfr_value *ret);
/** Fills *ret from a value of the reader. Errors: 0, HPROF_JFR_LIMIT, HPROF_JFR_MEMORY. */
int jfrlib_value_out(struct hprof_jfr *h, const struct jfr_value *value,
                     struct hprof_jfr_value *ret);
/** The text of a value as a text of the handle; NULL if the value is no text. Errors: as above. */
int jfrlib_value_text(struct hprof_jfr *h, const struct jfr_value *value, bool is_class,
                      const char **ret_text);
/** A moment or a span of a number in ns. False: the field is neither. */
bool jfrlib_value_ns(const struct jfr_chunk *c, const struct jfr_value *value, int64_t *ret_ns);
/** HPROF_JFR_LIMIT if the budget has become short while a value was read; otherwise 0. */
static inline int jfrlib_value_check(const struct hprof_jfr *h)
{
    return h->budget.is_short ? HPROF_JFR_LIMIT : HPROF_JFR_OK;
}
