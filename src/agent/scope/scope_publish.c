/*
 * scope_publish.c - see scope_publish.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/scope/scope_publish.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "agent/log.h"
#include "agent/scope/scope_cell.h"
#include "agent/scope/scope_context.h"
#include "agent/scope/scope_published.h"
#include "agent/scope/scope_record.h"
#include "agent/scope/scope_value.h"
#include "base/err.h"
#include "base/lock.h"
#include "otel/otel_process.h"
#include "otel/otel_publish.h"

/* While contexts are published the list of mappings is read at one of so many looks: an SDK need
 * not load a library to publish. */
enum { LOOKS_FOR_MAPS = 10 };

static struct {
    struct lock lock;
    _Atomic bool is_wanted;
    struct otel_publish process;
    uint32_t names; /* keys that the process context has */
    uint32_t looks;
} publish = {.lock = LOCK_INIT(PUBLISHING)};

/* The address of the own process context; 0: there is none. Needs the lock. */
static uint64_t own_context(void)
{
    return (uint64_t)(uintptr_t)publish.process.mapping;
}

/* Whether something else in this process has a process context. Needs the lock. */
static bool has_other_context(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t size = 0;
    uint64_t at;
    bool is_there = false;
    while (maps && !is_there && getline(&line, &size, maps) > 0)
        is_there = otel_process_is_mapping(line, &at) && at != own_context();
    free(line);
    if (maps)
        fclose(maps);
    return is_there;
}

/* Each context of hprof.jar looks at the publication anew: so a scope reads one word, not two. */
static void tell_java(void)
{
    atomic_fetch_add(&scope_value_epoch, 1);
}

/* Needs the lock. */
static void withdraw(void)
{
    if (publish.names > 0) {
        scope_record_end();
        scope_cell_hide_all();
        tell_java();
    }
    scope_published_leave_out(0);
    otel_publish_done(&publish.process);
    publish.names = 0;
}

/* Needs the lock. */
static void give_up(const char *why)
{
    atomic_store(&publish.is_wanted, false);
    withdraw();
    log_error("publish=y: contexts are not published: %s", why);
}

/* Needs the lock. */
static void put_names(void)
{
    const char *names[SCOPE_KEYS];
    uint32_t count = scope_context_keys();
    bool is_first = publish.names == 0;
    if (count == publish.names)
        return;
    for (uint32_t i = 0; i < count; i++)
        names[i] = scope_context_key_name(i);
    int error = otel_publish_set(&publish.process, names, count);
    if (error < 0) {
        give_up(err_text(error));
        return;
    }
    publish.names = count;
    scope_published_leave_out(own_context());
    if (is_first) {
        scope_record_begin();
        tell_java();
    }
}

void scope_publish_begin(void)
{
    lock_take(&publish.lock);
    atomic_store(&publish.is_wanted, true);
    lock_give(&publish.lock);
}

bool scope_publish_is_wanted(void)
{
    return atomic_load(&publish.is_wanted);
}

void scope_publish_look(void)
{
    if (!scope_publish_is_wanted() || scope_context_keys() == 0)
        return;
    lock_take(&publish.lock);
    bool is_time = publish.names == 0 || publish.looks++ % LOOKS_FOR_MAPS == 0;
    if (scope_publish_is_wanted()) {
        if (scope_published_is_there() || (is_time && has_other_context()))
            give_up("something else in this process publishes by the same standard");
        else
            put_names();
    }
    lock_give(&publish.lock);
}

void scope_publish_end(void)
{
    lock_take(&publish.lock);
    atomic_store(&publish.is_wanted, false);
    withdraw();
    lock_give(&publish.lock);
}
