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
#include "agent/scope/scope_value.h"
#include "profile/context.h"
#include "profile/profile.h"

_Static_assert((int)SCOPE_KEYS == (int)CONTEXT_KEYS, "as many as a thread can have");

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

/* Add the keys to the model in the same order. Only this file adds keys to the model. */
static void tell_keys(struct profile *p)
{
    struct context_set *set = profile_contexts(p);
    for (uint32_t i = set->key_count; i < keys.count; i++) {
        string_id name = profile_cstring(p, keys.of[i].name),
                  about = keys.of[i].about[0] ? profile_cstring(p, keys.of[i].about) : 0;
        if (!name || context_add_key(set, name, about) != (int)i)
            return;
    }
}

static context_id find(struct profile *p, const struct scope_values *values)
{
    struct context_row row = {{0}};
    char text[SCOPE_VALUE_BYTES];
    tell_keys(p);
    for (int i = 0; i < SCOPE_KEYS; i++) {
        size_t len = values->of[i] ? scope_value_text(values->of[i], text) : 0;
        if (len)
            row.value[i] = profile_string(p, text, len);
        last.forgotten += values->of[i] && !len;
    }
    return context_of(profile_contexts(p), &row);
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
    if (keys.count == 0)
        return;
    recording_set_quality(r, QUALITY_CONTEXTS_FORGOTTEN, last.forgotten);
    recording_set_quality(r, QUALITY_CONTEXTS_LOST,
                          profile_contexts(a->profile)->lost + scope_value_lost());
}

void scope_context_forget(void)
{
    last.context = 0;
    last.forgotten = 0;
}
