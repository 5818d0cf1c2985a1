/*
 * pprof_tables.c - see pprof_tables.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/pprof_tables.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/err.h"
#include "format/pprof.h"
#include "format/proto_in.h"

void pprof_tables_init(struct pprof_tables *t, size_t budget)
{
    *t = (struct pprof_tables){.divisor = 1};
    arena_init(&t->arena, budget);
    table_init(&t->strings, sizeof(struct pprof_text));
    table_init(&t->functions, sizeof(struct pprof_function));
    table_init(&t->places, sizeof(struct pprof_place));
    table_init(&t->files, sizeof(uint64_t));
    idmap_init(&t->function_of);
    idmap_init(&t->place_of);
    idmap_init(&t->file_of);
}

void pprof_tables_done(struct pprof_tables *t)
{
    arena_done(&t->arena);
    idmap_done(&t->function_of);
    idmap_done(&t->place_of);
    idmap_done(&t->file_of);
}

struct pprof_text pprof_tables_string(const struct pprof_tables *t, uint64_t number)
{
    return number < t->strings.count
               ? *(const struct pprof_text *)table_at(&t->strings, (uint32_t)number + 1)
               : (struct pprof_text){"", 0};
}

static int take_string(struct pprof_tables *t, const struct proto_in_field *field)
{
    struct pprof_text *text = table_add(&t->strings, &t->arena);
    if (!text)
        return -ENOMEM;
    *text = (struct pprof_text){(const char *)field->bytes, field->len};
    return 0;
}

static int take_column(struct pprof_tables *t, struct rd *message)
{
    struct pprof_column column = {0};
    for (struct proto_in_field f; proto_in_next(message, &f);)
        switch (f.number) {
        case PPROF_TYPE:
            column.type = f.value;
            break;
        case PPROF_UNIT:
            column.unit = f.value;
            break;
        }
    if (t->column_count == PPROF_COLUMNS_MAX)
        return E_LIMIT;
    t->columns[t->column_count++] = column;
    return message->error;
}

static int take_period_type(struct pprof_tables *t, struct rd *message)
{
    for (struct proto_in_field f; proto_in_next(message, &f);)
        if (f.number == PPROF_UNIT)
            t->period_unit = f.value;
    return message->error;
}

static int take_mapping(struct pprof_tables *t, struct rd *message)
{
    uint64_t id = 0, *file = table_add(&t->files, &t->arena);
    if (!file)
        return -ENOMEM;
    for (struct proto_in_field f; proto_in_next(message, &f);)
        switch (f.number) {
        case PPROF_MAPPING_ID:
            id = f.value;
            break;
        case PPROF_MAPPING_FILE:
            *file = f.value;
            break;
        }
    idmap_put(&t->file_of, id, t->files.count);
    return message->error ? message->error : idmap_error(&t->file_of);
}

static int take_place(struct pprof_tables *t, struct rd *message)
{
    struct pprof_place *place = table_add(&t->places, &t->arena);
    uint64_t id = 0;
    if (!place)
        return -ENOMEM;
    *place = (struct pprof_place){.line = message->bytes, .len = message->len};
    for (struct proto_in_field f; proto_in_next(message, &f);)
        switch (f.number) {
        case PPROF_LOCATION_ID:
            id = f.value;
            break;
        case PPROF_LOCATION_MAPPING:
            place->mapping = f.value;
            break;
        }
    idmap_put(&t->place_of, id, t->places.count);
    return message->error ? message->error : idmap_error(&t->place_of);
}

static int take_function(struct pprof_tables *t, struct rd *message)
{
    struct pprof_function *function = table_add(&t->functions, &t->arena);
    uint64_t id = 0;
    if (!function)
        return -ENOMEM;
    for (struct proto_in_field f; proto_in_next(message, &f);)
        switch (f.number) {
        case PPROF_FUNCTION_ID:
            id = f.value;
            break;
        case PPROF_FUNCTION_NAME:
            function->name = f.value;
            break;
        case PPROF_FUNCTION_SYSTEM:
            function->system = f.value;
            break;
        case PPROF_FUNCTION_FILE:
            function->file = f.value;
            break;
        }
    idmap_put(&t->function_of, id, t->functions.count);
    return message->error ? message->error : idmap_error(&t->function_of);
}

int pprof_tables_take(struct pprof_tables *t, const struct proto_in_field *field)
{
    struct rd message;
    rd_init(&message, field->bytes, field->len);
    switch (field->number) {
    case PPROF_SAMPLE_TYPE:
        return take_column(t, &message);
    case PPROF_MAPPING:
        return take_mapping(t, &message);
    case PPROF_LOCATION:
        return take_place(t, &message);
    case PPROF_FUNCTION:
        return take_function(t, &message);
    case PPROF_STRING:
        return take_string(t, field);
    case PPROF_PERIOD_TYPE:
        return take_period_type(t, &message);
    case PPROF_TIME:
        t->time_ns = field->value;
        return 0;
    case PPROF_DURATION:
        t->duration_ns = field->value;
        return 0;
    case PPROF_PERIOD:
        t->period = field->value;
        return 0;
    case PPROF_DEFAULT_TYPE:
        t->default_type = field->value;
        return 0;
    default:
        return 0;
    }
}

bool pprof_tables_is(struct pprof_text text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.bytes, word, text.len) == 0;
}

/* The model knows none of the types of the columns, so one column is taken for samples: the default
 * column of the file, otherwise the last. A time becomes a number of samples, by the file's period.
 * If the type has no name the end of the file is missing, and no column is taken. */
static void take_for_samples(struct pprof_tables *t)
{
    size_t at = t->column_count - 1;
    for (size_t i = 0; i < t->column_count; i++)
        if (t->default_type && t->columns[i].type == t->default_type)
            at = i;
    if (pprof_tables_string(t, t->columns[at].type).len == 0)
        return;
    (void)sample_type_named("samples", strlen("samples"), &t->columns[at].what);
    if (t->period > 0 &&
        pprof_tables_is(pprof_tables_string(t, t->columns[at].unit), "nanoseconds") &&
        pprof_tables_is(pprof_tables_string(t, t->period_unit), "nanoseconds"))
        t->divisor = t->period;
}

/* If two columns have the same type, the second is ignored: its values would replace those of the
 * first. */
void pprof_tables_decide(struct pprof_tables *t)
{
    bool is_any = false;
    for (size_t i = 0; i < t->column_count; i++) {
        struct pprof_column *column = &t->columns[i];
        struct pprof_text type = pprof_tables_string(t, column->type);
        column->what.type = NULL;
        if (sample_type_named(type.bytes, type.len, &column->what) &&
            !pprof_tables_is(pprof_tables_string(t, column->unit), column->what.unit))
            column->what.type = NULL;
        for (size_t before = 0; before < i; before++)
            if (t->columns[before].what.type == column->what.type)
                column->what.type = NULL;
        is_any |= column->what.type != NULL;
    }
    if (!is_any && t->column_count > 0)
        take_for_samples(t);
}
