/*
 * jfrlib_types.h - the types of the present chunk as a handle needs them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "jfrlib/jfrlib.h"

/** Looks through the types of the chunk that has begun. Errors: 0; -ENOMEM. */
int jfrlib_types_begin(struct hprof_jfr *h);
void jfrlib_types_done(struct hprof_jfr *h);

static inline const struct hprof_jfr_type *jfrlib_types_out(const struct jfr_type *type)
{
    return (const struct hprof_jfr_type *)type;
}

static inline const struct jfr_type *jfrlib_types_in(const struct hprof_jfr_type *type)
{
    return (const struct jfr_type *)type;
}

static inline const struct hprof_jfr_field *jfrlib_types_field_out(const struct jfr_field *field)
{
    return (const struct hprof_jfr_field *)field;
}

static inline const struct jfr_field *jfrlib_types_field_in(const struct hprof_jfr_field *field)
{
    return (const struct jfr_field *)field;
}
