/*
 * vm_stop.c - see vm_stop.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/vm_stop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hotspot/target.h"
#include "safe/clock.h"

enum { STATE, BEGIN, STOPPED, TIMER, TIMER_BASE, SYMBOLS };

static const char *const symbols[SYMBOLS] = {
    [STATE] = "_ZN20SafepointSynchronize6_stateE",
    [BEGIN] = "_ZN16SafepointTracing29_last_safepoint_begin_time_nsE",
    [STOPPED] = "_ZN16SafepointTracing28_last_safepoint_sync_time_nsE",
    /* to JDK 12, instead of BEGIN and STOPPED: a time that counts from TIMER_BASE */
    [TIMER] = "_ZN14RuntimeService16_safepoint_timerE",
    [TIMER_BASE] = "_ZL18initial_time_count",
};

void vm_stop_init(struct vm_stop *v, const struct target *t)
{
    uint64_t values[SYMBOLS];
    *v = (struct vm_stop){.state = VM_STOP_UNKNOWN};
    elf_file_symbols(&t->vm->libjvm, symbols, values, SYMBOLS);
    if (values[STATE] != 0)
        v->state_at = values[STATE] + t->vm->bias;
    else
        v->polling_page = target_static_value(t, "os", "_polling_page", 8);
    if (values[BEGIN] != 0)
        v->begin_at = values[BEGIN] + t->vm->bias;
    if (values[STOPPED] != 0)
        v->stopped_at = values[STOPPED] + t->vm->bias;
    if (values[BEGIN] == 0 && values[TIMER] != 0 && values[TIMER_BASE] != 0) {
        v->begin_at = values[TIMER] + t->vm->bias;
        v->base_at = values[TIMER_BASE] + t->vm->bias;
    }
}

/* Whether the polling page may be read: the VM forbids it while running threads must stop. */
static enum vm_stop_state state_of_page(const struct vm_stop *v, pid_t task)
{
    char path[64], line[4096], *at;
    enum vm_stop_state state = VM_STOP_UNKNOWN;
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)task);
    FILE *file = fopen(path, "re");
    if (!file)
        return state;
    while (state == VM_STOP_UNKNOWN && fgets(line, sizeof(line), file)) {
        /* "7f3d90000000-7f3d90001000 ---p ..." */
        uint64_t start = strtoull(line, &at, 16), end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
        if (start <= v->polling_page && v->polling_page < end && *at == ' ')
            state = at[1] == '-' ? VM_STOP_STOPPED : VM_STOP_NONE;
    }
    fclose(file);
    return state;
}

static enum vm_stop_state read_state(const struct vm_stop *v, struct mem_live *live)
{
    int32_t state;
    if (v->state_at == 0)
        return v->polling_page != 0 ? state_of_page(v, live->reader) : VM_STOP_UNKNOWN;
    if (mem_live_read_now(live, v->state_at, &state, sizeof(state)) < 0 || state < VM_STOP_NONE ||
        state > VM_STOP_STOPPED)
        return VM_STOP_UNKNOWN;
    return (enum vm_stop_state)state;
}

/* The moment at `addr`; `otherwise` if the VM does not give it, or it cannot be a moment. */
static uint64_t moment(struct mem_live *live, uint64_t addr, uint64_t now_ns, uint64_t otherwise)
{
    uint64_t ns;
    if (addr == 0 || mem_live_read_now(live, addr, &ns, sizeof(ns)) < 0 || ns == 0 || ns > now_ns)
        return otherwise;
    return ns;
}

void vm_stop_read(struct vm_stop *v, struct mem_live *live, uint64_t count)
{
    v->lasts_s = v->uncounted_s = 0;
    v->state = read_state(v, live);
    if (v->state <= VM_STOP_NONE) {
        v->seen_ns = 0;
        return;
    }
    uint64_t now_ns = clock_monotonic_ns();
    if (v->seen_ns == 0 || count != v->count)
        v->seen_ns = now_ns;
    v->count = count;
    uint64_t base_ns = moment(live, v->base_at, now_ns, 0);
    uint64_t began_ns = base_ns + moment(live, v->begin_at, now_ns - base_ns, v->seen_ns - base_ns);
    uint64_t from_ns =
        v->state == VM_STOP_STOPPED ? moment(live, v->stopped_at, now_ns, began_ns) : began_ns;
    v->lasts_s = (double)(now_ns - began_ns) / 1e9;
    v->uncounted_s = (double)(now_ns - from_ns) / 1e9;
}
