/*
 * jfr_drawn.c - see jfr_drawn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_drawn.h"
#include <stdint.h>
#include <string.h>
#include "format/format.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_type.h"
#include "kind/kind.h"

static bool has_field(const struct jfr_type *type, const char *name)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].name, name) == 0)
            return true;
    return false;
}

/* The first field with a mark that says that it is an amount of bytes. async-profiler's field
 * "size" does not always have this mark. */
const char *jfr_drawn_bytes(const struct jfr_type *type)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        if (type->fields[i].marks & JFR_BYTES_AMOUNT && !(type->fields[i].marks & JFR_FREQUENCY))
            return type->fields[i].name;
    return has_field(type, "size") ? "size" : NULL;
}

bool jfr_drawn_can(const struct jfr_type *type)
{
    enum kind_id kind;
    return has_field(type, kind_jfr_of(KIND_JFR_OF_USER, &kind)->stack);
}

bool jfr_drawn_is(const struct reader_in *in, const struct jfr_type *type)
{
    return in->want.drawn && jfr_filter_names(in->want.drawn, type->name) && jfr_drawn_can(type);
}
