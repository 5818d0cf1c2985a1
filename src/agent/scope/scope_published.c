/*
 * scope_published.c - see scope_published.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/scope/scope_published.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "agent/log.h"
#include "base/lock.h"
#include "imports/imports_list.h"
#include "imports/imports_variable.h"
#include "otel/otel_process.h"
#include "safe/otel_thread.h"
#include "safe/own_memory.h"

static struct {
    struct lock lock;
    struct imports_variables variables;
    bool has_looked, has_said;
    _Atomic bool is_there;
} published = {.lock = LOCK_INIT(PUBLISHERS)};

static void tell(const struct imports_variables *v)
{
    struct otel_thread_variable at[OTEL_THREAD_VARIABLES];
    for (uint32_t i = 0; i < v->count; i++)
        at[i] = v->of[i].at;
    bool all_fit = otel_thread_set(at, v->count, &v->libc);
    atomic_store(&published.is_there, v->count > 0);
    if ((v->unknown > 0 || !all_fit) && !published.has_said) {
        published.has_said = true;
        log_error("a library publishes thread contexts (" OTEL_THREAD_SYMBOL
                  ") where they cannot be read");
    }
}

/* ---- names of attributes */

/* Guarded by a lock of their own: the other one may be held for as long as a library is loaded. */
static struct {
    struct lock lock;
    struct otel_process process;
} names = {.lock = LOCK_INIT(PUBLISHED_NAMES)};

static _Atomic uint64_t left_out;

static int read_own(void *with, uint64_t addr, void *dst, size_t len)
{
    return addr == atomic_load(&left_out) ? -EFAULT : own_memory_read(addr, dst, len);
}

void scope_published_leave_out(uint64_t header)
{
    atomic_store(&left_out, header);
}

static void set_names(const struct otel_process *now)
{
    struct otel_process before;
    lock_take(&names.lock);
    before = names.process;
    names.process = *now;
    lock_give(&names.lock);
    otel_process_done(&before);
}

/* Read the context of the process if it has changed. */
static void read_names(void)
{
    struct otel_process now;
    lock_take(&names.lock);
    bool is_same = otel_process_is_same(&names.process, read_own, NULL);
    lock_give(&names.lock);
    FILE *maps = is_same ? NULL : fopen("/proc/self/maps", "re");
    if (!maps)
        return;
    if (otel_process_find(maps, read_own, NULL, &now) == 0)
        set_names(&now);
    fclose(maps);
}

bool scope_published_name(uint8_t index, char ret[SCOPE_PUBLISHED_NAME])
{
    const char *name;
    lock_take(&names.lock);
    name = index < names.process.key_count ? names.process.keys[index] : NULL;
    size_t len = name ? strlen(name) : SCOPE_PUBLISHED_NAME;
    bool is_there = len < SCOPE_PUBLISHED_NAME;
    if (is_there)
        memcpy(ret, name, len + 1);
    lock_give(&names.lock);
    return is_there;
}

/* ---- libraries */

void scope_published_look(void)
{
    struct imports_variables now;
    lock_take(&published.lock);
    if ((!published.has_looked || imports_list_changes() != published.variables.changes) &&
        imports_variable_find(OTEL_THREAD_SYMBOL, &now) == 0) {
        tell(&now);
        imports_variable_done(&published.variables);
        published.variables = now;
        published.has_looked = true;
    }
    lock_give(&published.lock);
    if (scope_published_is_there())
        read_names();
}

void scope_published_end(void)
{
    lock_take(&published.lock);
    otel_thread_set(NULL, 0, NULL);
    atomic_store(&published.is_there, false);
    imports_variable_done(&published.variables);
    published.has_looked = published.has_said = false;
    lock_give(&published.lock);
    set_names(&(struct otel_process){.attribute_count = 0});
}

bool scope_published_is_there(void)
{
    return atomic_load(&published.is_there);
}
