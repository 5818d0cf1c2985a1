/*
 * probe_where.c - see probe_where.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_where.h"
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/wildcard.h"
#include "probe/probe_row.h"

static const char duration[] = "duration", tid[] = "tid";

int probe_where_add(struct probe_where *w, const char *text)
{
    if (w->count == PROBE_WHERE_MOST)
        return E_LIMIT;
    struct probe_where_part *part = &w->parts[w->count];
    *part = (struct probe_where_part){.text = text};
    if (!condition_parse(text, &part->is))
        return E_SYNTAX;
    w->count++;
    return 0;
}

static int try_number(struct probe_where_part *part, enum amount of, char why[PROBE_WHERE_WHY])
{
    part->is_possible = true;
    part->has_number = true;
    if (amount_parse(of, false, part->is.value, &part->number) == 0)
        return 0;
    snprintf(why, PROBE_WHERE_WHY, "--where '%.60s': %s", part->text, amount_wanted(of));
    return E_SYNTAX;
}

static int try_text(struct probe_where_part *part, char why[PROBE_WHERE_WHY])
{
    part->is_possible = true;
    if (part->is.order == '=')
        return 0;
    snprintf(why, PROBE_WHERE_WHY,
             "--where '%.60s': '%.40s' is a text, which is compared with = or !=", part->text,
             part->is.field);
    return E_SYNTAX;
}

/* The form of a field of the row. */
static bool is_text_field(const struct probe_row *row, const char *name)
{
    const struct probe_hit_form *forms[] = {row->form, row->end};
    bool has_prefix = strncmp(name, "end_", 4) == 0;
    for (int f = 0; f < 2; f++)
        for (unsigned i = 0; forms[f] && i < forms[f]->count; i++) {
            const struct probe_known_field *known = &forms[f]->fields[i].known;
            if (strcmp(known->name, name) == 0 ||
                (f == 1 && has_prefix && strcmp(known->name, name + 4) == 0))
                return known->is_text || known->is_string;
        }
    return false;
}

int probe_where_try(struct probe_where *w, const struct probe_row *row, char why[PROBE_WHERE_WHY])
{
    int error = 0;
    for (uint32_t i = 0; i < w->count && !error; i++) {
        struct probe_where_part *part = &w->parts[i];
        const char *name = part->is.field;
        if (strcmp(name, tid) == 0 && !probe_row_field(row, tid))
            error = try_number(part, AMOUNT_PLAIN, why);
        else if (strcmp(name, duration) == 0 && row->has_duration)
            error = try_number(part, AMOUNT_SPAN, why);
        else if (probe_row_field(row, name))
            error = is_text_field(row, name) ? try_text(part, why)
                                             : try_number(part, AMOUNT_PLAIN, why);
    }
    return error;
}

const struct probe_where_part *probe_where_unknown(const struct probe_where *w)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (!w->parts[i].is_possible)
            return &w->parts[i];
    return NULL;
}

/* A value that could not be read is unequal to every other. */
static bool holds(const struct probe_where_part *part, const struct probe_row *row)
{
    const struct condition *c = &part->is;
    const struct probe_row_field *field = probe_row_field(row, c->field);
    if (!field && strcmp(c->field, tid) == 0)
        return condition_holds(c, row->tid, part->number);
    if (!field && strcmp(c->field, duration) == 0)
        return row->has_duration && condition_holds(c, row->duration_ns, part->number);
    if (!field)
        return false;
    const struct probe_hit_value *v = field->value;
    if (!v || v->is == PROBE_HIT_NONE)
        return c->is_not;
    if (v->is == PROBE_HIT_TEXT_VALUE)
        return c->order == '=' &&
               wildcard_matches(c->value, strlen(c->value), v->text, v->len, false) != c->is_not;
    return part->has_number &&
           condition_holds(c,
                           v->is == PROBE_HIT_SIGNED ? (long double)(int64_t)v->number
                                                     : (long double)v->number,
                           part->number);
}

bool probe_where_holds(const struct probe_where *w, const struct probe_row *row)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (!holds(&w->parts[i], row))
            return false;
    return true;
}
