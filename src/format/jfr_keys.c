/*
 * jfr_keys.c - see jfr_keys.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_keys.h"
#include <string.h>
#include "format/jfr_outer.h"
#include "jfr/jfr_value.h"
#include "profile/context.h"
#include "profile/profile.h"

enum { TEXT = 1024 };

void jfr_keys_done(struct jfr_keys *c)
{
    idmap_done(&c->known);
}

void jfr_keys_begin(struct jfr_keys *c, struct profile *profile, const struct jfr_chunk *chunk,
                    const char *by, const struct jfr_outer *outer)
{
    *c = (struct jfr_keys){.profile = profile, .chunk = chunk, .by = by, .outer = outer};
    idmap_init(&c->known);
}

static void put_text(struct jfr_keys *c, struct context_row *row, const char *name,
                     const char *text)
{
    string_id id = profile_cstring(c->profile, name);
    int key = id ? context_add_key(profile_contexts(c->profile), id, 0) : -1;
    if (key >= 0)
        row->value[key] = *text ? profile_cstring(c->profile, text) : 0;
}

static void put(struct jfr_keys *c, struct context_row *row, const char *name,
                const struct jfr_value *value)
{
    char text[TEXT];
    (void)jfr_value_words(c->chunk, value, text, sizeof(text));
    put_text(c, row, name, text);
}

/* The context with all keys of the field "context". */
static context_id whole(struct jfr_keys *c, const struct jfr_value *object)
{
    struct context_row row = {{0}};
    context_id id = object->constant ? idmap_get(&c->known, (uintptr_t)object->constant) : 0;
    struct jfr_value value;
    if (id || object->shape != JFR_OBJECT)
        return id;
    for (uint32_t i = 0; i < object->type->field_count; i++) {
        jfr_value_field(c->chunk, object, i, &value);
        put(c, &row, object->type->fields[i].name, &value);
    }
    id = context_of(profile_contexts(c->profile), &row);
    if (id && object->constant)
        idmap_put(&c->known, (uintptr_t)object->constant, id);
    return id;
}

/* The wanted key is not there: adds the keys that are there, so that a message can name them. One
 * place stays free for the wanted key. */
static void note_keys(struct jfr_keys *c, const struct jfr_type *type)
{
    struct context_set *contexts = profile_contexts(c->profile);
    for (uint32_t i = 0; i < type->field_count && contexts->key_count + 1 < CONTEXT_KEYS; i++) {
        string_id name = profile_cstring(c->profile, type->fields[i].name);
        if (name)
            (void)context_add_key(contexts, name, 0);
    }
}

context_id jfr_keys_of(struct jfr_keys *c, const struct jfr_value *event)
{
    struct context_row row = {{0}};
    struct jfr_value context, value;
    bool has_context = jfr_value_named(c->chunk, event, "context", &context);
    if (!c->by)
        return has_context ? whole(c, &context) : 0;
    if (!(has_context && jfr_value_named(c->chunk, &context, c->by, &value)) &&
        !jfr_value_named(c->chunk, event, c->by, &value)) {
        const char *outer = c->outer ? jfr_outer_of(c->outer, c->chunk, event) : NULL;
        if (outer || (c->outer && c->outer->is_there))
            put_text(c, &row, c->by, outer ? outer : "");
        else if (has_context)
            note_keys(c, context.type);
        if (!outer)
            return 0;
    } else {
        put(c, &row, c->by, &value);
    }
    return context_of(profile_contexts(c->profile), &row);
}
