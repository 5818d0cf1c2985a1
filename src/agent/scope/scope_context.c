/*
 * scope_context.c - see scope_context.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/scope/scope_context.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/recording/recording.h"
#include "agent/scope/scope_cell.h"
#include "agent/scope/scope_published.h"
#include "agent/scope/scope_record.h"
#include "agent/scope/scope_value.h"
#include "base/utf8.h"
#include "profile/context.h"
#include "profile/profile.h"

/* Keys of what SDKs publish; those of attributes take what is left of the model's room. */
enum {
    PUBLISHED_IDS = 2,
    /* Spans are new all the time: they leave some room for contexts of other keys. */
    ROWS_WITH_IDS = CONTEXT_ROWS_MAX / 4 * 3,
    PUBLISHED_ATTRIBUTES = CONTEXT_KEYS - SCOPE_KEYS - PUBLISHED_IDS
};

_Static_assert((int)SCOPE_KEYS + PUBLISHED_IDS <= (int)CONTEXT_KEYS, "a model has room for them");

static struct {
    struct lock lock; /* held by the thread that adds a key */
    struct {
        const char *name, *about;
    } of[SCOPE_KEYS]; /* never freed */
    _Atomic uint32_t count;
} keys = {.lock = LOCK_INIT(SCOPES)};

/* The last context found: samples of one thread often follow each other. Needs the agent's lock. */
static struct {
    struct scope_values values;
    context_id context;
    uint64_t forgotten; /* values that were forgotten before their samples were read */
} last;

/* The numbers of keys in the present model. Needs the agent's lock. */
static struct {
    uint32_t told; /* keys of the program that the model has */
    int scopes[SCOPE_KEYS];
    uint32_t attribute_count; /* keys that threads publish */
} model;

static int find_key(const char *name)
{
    for (uint32_t i = 0; i < keys.count; i++)
        if (strcmp(keys.of[i].name, name) == 0)
            return (int)i;
    return -1;
}

static int add_key(const char *name, const char *about)
{
    char *own_name = strdup(name), *own_about = strdup(about);
    uint32_t at = keys.count;
    if (!own_name || !own_about) {
        free(own_name);
        free(own_about);
        return -1;
    }
    keys.of[at].name = own_name;
    keys.of[at].about = own_about;
    atomic_store(&keys.count, at + 1);
    if (strcmp(name, CONTEXT_TRACE_ID) == 0)
        atomic_store(&scope_record_state.trace_key, at + 1);
    if (strcmp(name, CONTEXT_SPAN_ID) == 0)
        atomic_store(&scope_record_state.span_key, at + 1);
    return (int)at;
}

int scope_context_add_key(const char *name, const char *about)
{
    int at;
    lock_take(&keys.lock);
    at = find_key(name);
    if (at < 0 && keys.count < SCOPE_KEYS)
        at = add_key(name, about);
    lock_give(&keys.lock);
    return at;
}

uint32_t scope_context_keys(void)
{
    return keys.count;
}

const char *scope_context_key_name(uint32_t number)
{
    return number < keys.count ? keys.of[number].name : NULL;
}

/* The number that a key has in the model, which gets it if it is new. Only this file adds keys to
 * the model. -1: no room. */
static int key_in(struct profile *p, const char *name, const char *about)
{
    string_id id = profile_cstring(p, name), about_id = about[0] ? profile_cstring(p, about) : 0;
    return id ? context_add_key(profile_contexts(p), id, about_id) : -1;
}

/* The program's keys are added before those that are published, so there is room for them all. */
static void tell_keys(struct profile *p)
{
    for (; model.told < keys.count; model.told++)
        model.scopes[model.told] = key_in(p, keys.of[model.told].name, keys.of[model.told].about);
}

static void put_scopes(struct profile *p, const struct scope_values *values,
                       struct context_row *row)
{
    char text[SCOPE_VALUE_BYTES];
    for (uint32_t i = 0; i < SCOPE_KEYS; i++) {
        size_t len = values->of[i] ? scope_value_text(values->of[i], text) : 0;
        if (len && i < model.told && model.scopes[i] >= 0)
            row->value[model.scopes[i]] = profile_string(p, text, len);
        last.forgotten += values->of[i] && !len;
    }
}

static string_id hexadecimal(struct profile *p, const unsigned char *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * OTEL_THREAD_TRACE];
    for (size_t i = 0; i < len; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return profile_string(p, text, 2 * len);
}

static bool has_ids(const struct otel_thread *published)
{
    static const struct otel_thread none;
    return memcmp(published->trace, none.trace, sizeof(none.trace)) != 0;
}

/* What is published comes before what the program says under the same name. */
static void put_ids(struct profile *p, const struct otel_thread *published, struct context_row *row)
{
    int trace = key_in(p, CONTEXT_TRACE_ID, "trace that the thread works for"),
        span = key_in(p, CONTEXT_SPAN_ID, "span that the thread works for");
    if (trace < 0 || span < 0)
        return;
    row->value[trace] = hexadecimal(p, published->trace, sizeof(published->trace));
    row->value[span] = hexadecimal(p, published->span, sizeof(published->span));
}

/* The number of the key of an attribute; -1: there are too many. The program's keys always find
 * room.
 */
static int attribute_in(struct profile *p, const char *name)
{
    string_id id = profile_cstring(p, name);
    int key = id ? context_find_key(profile_contexts(p), id) : -1;
    if (key >= 0 || !id || model.attribute_count == PUBLISHED_ATTRIBUTES)
        return key;
    key = context_add_key(profile_contexts(p), id, 0);
    model.attribute_count++;
    return key;
}

/* If a key is there twice, its last value counts. */
static void put_attributes(struct profile *p, const struct otel_thread *published,
                           struct context_row *row)
{
    char name[SCOPE_PUBLISHED_NAME];
    for (size_t at = 0; at + 2 <= published->attribute_bytes;) {
        const unsigned char *attribute = published->attributes + at;
        size_t len = attribute[1];
        int key = scope_published_name(attribute[0], name) ? attribute_in(p, name) : -1;
        const char *text = (const char *)attribute + 2;
        if (key >= 0)
            row->value[key] = len && utf8_is_plain(text, len) ? profile_string(p, text, len) : 0;
        at += 2 + len;
    }
}

static context_id find(struct profile *p, const struct scope_values *values)
{
    struct context_set *set = profile_contexts(p);
    struct context_row row = {{0}};
    tell_keys(p);
    put_scopes(p, values, &row);
    put_attributes(p, &values->published, &row);
    if (has_ids(&values->published)) {
        struct context_row with_ids = row;
        put_ids(p, &values->published, &with_ids);
        if (set->rows.count < ROWS_WITH_IDS || context_find(set, &with_ids))
            return context_of(set, &with_ids);
        set->lost++;
    }
    return context_of(set, &row);
}

context_id scope_context_of(struct agent *a, const struct scope_values *values)
{
    static const struct scope_values none;
    if (memcmp(values, &none, sizeof(none)) == 0)
        return 0;
    if (!last.context || memcmp(values, &last.values, sizeof(*values)) != 0) {
        last.values = *values;
        last.context = find(a->profile, values);
    }
    return last.context;
}

context_id scope_context_here(struct agent *a)
{
    struct scope_values values;
    scope_read(&values);
    return scope_context_of(a, &values);
}

void scope_context_read_thread(int32_t tid, struct scope_values *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (keys.count > 0)
        scope_cell_read(tid, ret);
}

void scope_context_read_virtual(int64_t java_id, struct scope_values *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (keys.count > 0)
        scope_cell_read_virtual(java_id, ret);
}

void scope_context_set_quality(struct agent *a, struct recording *r)
{
    if (keys.count == 0 && profile_contexts(a->profile)->key_count == 0)
        return;
    recording_set_quality(r, QUALITY_CONTEXTS_FORGOTTEN, last.forgotten);
    recording_set_quality(r, QUALITY_CONTEXTS_LOST,
                          profile_contexts(a->profile)->lost + scope_value_lost());
}

void scope_context_forget(void)
{
    last.context = 0;
    last.forgotten = 0;
    model.told = model.attribute_count = 0;
}
