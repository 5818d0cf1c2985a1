/*
 * commit_type.c - see commit_type.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/commit/commit_type.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/lock.h"

static struct {
    struct lock lock; /* taken to add a type */
    struct custom_list list;
    size_t text; /* bytes of all texts */
    _Atomic uint32_t lost;
} types = {.lock = LOCK_INIT(COMMIT_TYPES)};

static bool is_same_field(const struct custom_field *x, const struct custom_field *y)
{
    return x->sort == y->sort && x->unit == y->unit && strcmp(x->name, y->name) == 0 &&
           strcmp(x->label, y->label) == 0;
}

static bool is_same(const struct custom_type *x, const struct custom_type *y)
{
    bool is_same = strcmp(x->name, y->name) == 0 && strcmp(x->label, y->label) == 0 &&
                   strcmp(x->about, y->about) == 0 && strcmp(x->category, y->category) == 0 &&
                   x->has_stack == y->has_stack && x->threshold_ns == y->threshold_ns &&
                   x->field_count == y->field_count;
    for (uint32_t i = 0; i < x->field_count && is_same; i++)
        is_same = is_same_field(&x->fields[i], &y->fields[i]);
    return is_same;
}

/* Copies all texts of the type to `to`; if `to` is NULL, the function only counts. Returns the
 * bytes of the texts. */
static size_t each_text(struct custom_type *type, struct custom_field *fields, char *to)
{
    const char **texts[4 + 2 * CUSTOM_FIELDS] = {&type->name, &type->label, &type->about,
                                                 &type->category};
    size_t count = 4, bytes = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        texts[count++] = &fields[i].name;
        texts[count++] = &fields[i].label;
    }
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(*texts[i]) + 1;
        if (to)
            *texts[i] = memcpy(to + bytes, *texts[i], len);
        bytes += len;
    }
    return bytes;
}

/* Needs the lock. */
static int add(const struct custom_type *type)
{
    uint32_t number = types.list.count;
    struct {
        struct custom_type type;
        struct custom_field fields[];
    } *copy = malloc(sizeof(*copy) + type->field_count * sizeof(*type->fields));
    size_t bytes = 0;
    char *text = NULL;
    if (copy) {
        copy->type = *type;
        copy->type.number = number;
        copy->type.fields =
            memcpy(copy->fields, type->fields, type->field_count * sizeof(*type->fields));
        bytes = each_text(&copy->type, copy->fields, NULL);
        if (bytes <= COMMIT_TYPE_TEXT - types.text)
            text = malloc(bytes);
    }
    if (!text) {
        free(copy);
        return -1;
    }
    each_text(&copy->type, copy->fields, text);
    types.text += bytes;
    types.list.of[number] = &copy->type;
    atomic_store(&types.list.count, number + 1);
    return (int)number;
}

int commit_type_define(const struct custom_type *type)
{
    uint32_t at = 0;
    int number;
    lock_take(&types.lock);
    while (at < types.list.count && !is_same(types.list.of[at], type))
        at++;
    if (at < types.list.count)
        number = (int)at;
    else
        number = at < CUSTOM_TYPES ? add(type) : -1;
    if (number < 0)
        atomic_fetch_add(&types.lost, 1);
    lock_give(&types.lock);
    return number;
}

const struct custom_list *commit_type_all(void)
{
    return &types.list;
}

uint32_t commit_type_lost(void)
{
    return types.lost;
}
