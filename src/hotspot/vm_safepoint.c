/*
 * vm_safepoint.c - see vm_safepoint.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/vm_safepoint.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/java_threads.h"
#include "hotspot/perf_counter.h"
#include "safe/clock.h"
#include "safe/mem.h"
#include "safe/release.h"

enum {
    NAMES_MAX = 160, /* operations of a VM; JDK 8 to 28 have 60 to 90 */
    NAME_BYTES = 64,
    SYMBOL_BYTES = NAME_BYTES + 16,
    TRIES = 8, /* of a look during which a safepoint begins or is reached */
    /* Words of a C++ vtable in front of the first function, to which an object points. */
    VTABLE_HEAD = 16,
    SYNCHRONIZING = 1, /* SafepointSynchronize::_state */
};

/* A class of operations, for example VM_G1CollectForAllocation. */
struct vm_safepoint_class {
    uint64_t vtable; /* as in the objects of the class */
    const char *name;
};

/* ---- where the VM keeps it */

enum { STATE, BEGIN, REACHED, TYPE, NAMES, OPERATION, SYMBOLS };

static const char *const symbols[SYMBOLS] = {
    [STATE] = "_ZN20SafepointSynchronize6_stateE",
    [BEGIN] = "_ZN16SafepointTracing29_last_safepoint_begin_time_nsE",
    [REACHED] = "_ZN16SafepointTracing28_last_safepoint_sync_time_nsE",
    [TYPE] = "_ZN16SafepointTracing13_current_typeE",
    [NAMES] = "_ZN12VM_Operation6_namesE",
    [OPERATION] = "_ZN8VMThread17_cur_vm_operationE",
};

static void find_symbols(struct vm_safepoint *v)
{
    uint64_t *const places[SYMBOLS] = {&v->state_at, &v->begin_at, &v->reached_at,
                                       &v->type_at,  &v->names_at, &v->operation_at};
    uint64_t values[SYMBOLS];
    elf_file_symbols(&v->target.vm->libjvm, symbols, values, SYMBOLS);
    for (int i = 0; i < SYMBOLS; i++)
        *places[i] = values[i] ? values[i] + v->target.vm->bias : 0;
    if (!v->begin_at || !v->reached_at)
        v->begin_at = v->reached_at = 0;
}

static void find_counters(struct vm_safepoint *v)
{
    uint64_t start = target_static_value(&v->target, "PerfMemory", "_start", sizeof(start));
    v->count_at = perf_counter_find(v->target.mem, start, "sun.rt.safepoints");
    v->waited_at = perf_counter_find(v->target.mem, start, "sun.rt.safepointSyncTime");
}

/* The best source that this VM has. Returns false if it has none. */
static bool choose(struct vm_safepoint *v)
{
    if (v->count_at && v->waited_at)
        v->source = VM_SAFEPOINT_COUNTERS;
    else if (v->begin_at)
        v->source = VM_SAFEPOINT_CLOCKS;
    else if (v->state_at)
        v->source = VM_SAFEPOINT_STATE;
    else if (v->polling_page)
        v->source = VM_SAFEPOINT_PAGE;
    else
        return false;
    return true;
}

/* ---- the names of operations */

/* The VM's name number `i`; NULL if what stands there is no name: its list has no end mark. */
static const char *name_at(const struct vm_safepoint *v, uint32_t i)
{
    char text[NAME_BYTES];
    uint64_t at = target_u8(&v->target, v->names_at + (uint64_t)i * sizeof(at));
    if (target_text(&v->target, at, text, sizeof(text)) <= 0)
        return NULL;
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return NULL;
    return (const char *)(uintptr_t)at; /* of this process, and constant */
}

/* Find the vtable of each operation's class. VM_Operation::type() is a virtual function, so only
 * the class tells which operation an object is. */
static int find_classes(struct vm_safepoint *v)
{
    const char *names[NAMES_MAX];
    uint64_t values[NAMES_MAX];
    char(*texts)[SYMBOL_BYTES] = calloc(v->name_count, sizeof(*texts));
    v->classes = calloc(v->name_count, sizeof(*v->classes));
    if (!texts || !v->classes) {
        free(texts);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < v->name_count; i++) {
        const char *name = name_at(v, i);
        snprintf(texts[i], sizeof(texts[i]), "_ZTV%zuVM_%s", strlen(name) + strlen("VM_"), name);
        names[i] = texts[i];
    }
    elf_file_symbols(&v->target.vm->libjvm, names, values, v->name_count);
    for (uint32_t i = 0; i < v->name_count; i++)
        if (values[i])
            v->classes[v->class_count++] = (struct vm_safepoint_class){
                values[i] + v->target.vm->bias + VTABLE_HEAD, name_at(v, i)};
    free(texts);
    return 0;
}

static int find_names(struct vm_safepoint *v)
{
    while (v->names_at && v->name_count < NAMES_MAX && name_at(v, v->name_count))
        v->name_count++;
    return v->name_count > 0 && !v->type_at && v->operation_at ? find_classes(v) : 0;
}

const char *vm_safepoint_operation(const struct vm_safepoint *v)
{
    if (v->type_at) {
        uint32_t type = target_u4(&v->target, v->type_at);
        return type < v->name_count ? name_at(v, type) : NULL;
    }
    uint64_t object = v->operation_at ? target_u8(&v->target, v->operation_at) : 0,
             vtable = object ? target_u8(&v->target, object) : 0;

    for (uint32_t i = 0; vtable && i < v->class_count; i++)
        if (v->classes[i].vtable == vtable)
            return v->classes[i].name;
    return NULL;
}

/* ---- threads */

struct late {
    const struct vm_safepoint *v;
    struct vm_safepoint_late *into;
    uint32_t count, most;
};

/*
 * Whether the VM waits for a thread in this state. It does not wait for threads in native code or
 * blocked, nor for those that are about to come back from there, since these stop on their way.
 */
static bool is_late(uint32_t state)
{
    return state == HS_THREAD_IN_JAVA || state == HS_THREAD_IN_JAVA_TRANS ||
           state == HS_THREAD_IN_VM || state == HS_THREAD_IN_VM_TRANS;
}

static int add_late(void *arg, uint64_t thread)
{
    struct late *late = arg;
    const struct hs_layout *l = late->v->target.layout;
    const struct target *t = &late->v->target;
    uint32_t state =
        thread == 0 ? 0 : hs_layout_state(l, target_u4(t, thread + (uint64_t)l->thread_state));
    if (!is_late(state))
        return 0;
    if (late->count < late->most) {
        uint64_t os = target_u8(t, thread + (uint64_t)l->thread_osthread);
        late->into[late->count] = (struct vm_safepoint_late){
            .java_thread = thread,
            .tid = os ? (int32_t)target_u4(t, os + (uint64_t)l->osthread_id) : 0,
            .state = state,
        };
    }
    late->count++;
    return 0;
}

uint32_t vm_safepoint_late(const struct vm_safepoint *v, struct vm_safepoint_late *ret,
                           uint32_t most)
{
    struct late late = {.v = v, .into = ret, .most = most};
    (void)java_threads_each(&v->target, add_late, &late);
    return late.count;
}

/* ---- a look */

/* Whether the VM forbids to read the page that running threads poll: a stop lasts. */
static bool is_page_closed(const struct vm_safepoint *v)
{
    unsigned char byte;
    return mem_read(v->target.mem, v->polling_page, &byte, sizeof(byte)) != 0;
}

static enum vm_safepoint_waits waits_if(bool is_true)
{
    return is_true ? VM_SAFEPOINT_WAITS : VM_SAFEPOINT_WAITS_NOT;
}

/* Whether the VM waits now. The page says only whether a stop lasts. */
static enum vm_safepoint_waits waits(const struct vm_safepoint *v)
{
    if (v->reached_at)
        return waits_if(target_u8(&v->target, v->begin_at) &&
                        !target_u8(&v->target, v->reached_at));
    if (v->state_at)
        return waits_if(target_u4(&v->target, v->state_at) == SYNCHRONIZING);
    return v->polling_page && !is_page_closed(v) ? VM_SAFEPOINT_WAITS_NOT
                                                 : VM_SAFEPOINT_WAITS_UNTOLD;
}

/* Read the counters. If one of them changes meanwhile, all are read again. */
static void read_counters(const struct vm_safepoint *v, struct vm_safepoint_look *ret)
{
    const struct target *t = &v->target;
    for (int i = 0; i < TRIES; i++) {
        ret->begun = target_u8(t, v->count_at);
        ret->waited_ns = target_u8(t, v->waited_at);
        ret->waits = waits(v);
        if (target_u8(t, v->count_at) == ret->begun && target_u8(t, v->waited_at) == ret->waited_ns)
            break;
    }
}

/* Count as the VM's counters would, from whether the VM waits. */
static void follow(struct vm_safepoint *v, bool is_waiting, uint64_t now_ns)
{
    if (is_waiting && !v->begin_ns) {
        v->begin_ns = now_ns;
        v->begun++;
    } else if (!is_waiting && v->begin_ns) {
        v->waited_ns += now_ns - v->begin_ns;
        v->begin_ns = 0;
    }
}

/* The same, from the two times of the last safepoint. */
static void follow_clocks(struct vm_safepoint *v, uint64_t begin_ns, uint64_t reached_ns)
{
    if (begin_ns && begin_ns != v->begin_ns) {
        v->begin_ns = begin_ns;
        v->is_counted = false;
        v->begun++;
    }
    if (!v->is_counted && begin_ns && reached_ns > begin_ns) {
        v->is_counted = true;
        v->waited_ns += reached_ns - begin_ns;
    }
}

/* Whether the VM waits, told from the page alone: no thread runs after it has stopped. */
static bool is_waiting_by_page(const struct vm_safepoint *v)
{
    return is_page_closed(v) && vm_safepoint_late(v, NULL, 0) > 0;
}

/* The times of the last safepoint. The VM sets the second one to 0 when it sets the first. */
static void read_clocks(const struct vm_safepoint *v, uint64_t *ret_begin_ns,
                        uint64_t *ret_reached_ns)
{
    const struct target *t = &v->target;
    *ret_begin_ns = *ret_reached_ns = 0;
    for (int i = 0; v->begin_at && i < TRIES; i++) {
        *ret_begin_ns = target_u8(t, v->begin_at);
        *ret_reached_ns = target_u8(t, v->reached_at);
        if (target_u8(t, v->begin_at) == *ret_begin_ns)
            break;
    }
}

void vm_safepoint_look(struct vm_safepoint *v, struct vm_safepoint_look *ret)
{
    *ret = (struct vm_safepoint_look){.at_ns = clock_monotonic_ns()};
    if (v->source == VM_SAFEPOINT_COUNTERS)
        read_counters(v, ret);
    read_clocks(v, &ret->begin_ns, &ret->reached_ns);
    if (v->source == VM_SAFEPOINT_COUNTERS)
        return;
    ret->waits = v->source == VM_SAFEPOINT_PAGE ? waits_if(is_waiting_by_page(v)) : waits(v);
    if (v->source == VM_SAFEPOINT_CLOCKS)
        follow_clocks(v, ret->begin_ns, ret->reached_ns);
    else
        follow(v, ret->waits == VM_SAFEPOINT_WAITS, ret->at_ns);
    ret->begun = v->begun;
    ret->waited_ns = v->waited_ns;
}

uint64_t vm_safepoint_word(const struct vm_safepoint *v)
{
    const uint64_t at[] = {[VM_SAFEPOINT_COUNTERS] = v->count_at,
                           [VM_SAFEPOINT_CLOCKS] = v->begin_at,
                           [VM_SAFEPOINT_STATE] = v->state_at,
                           [VM_SAFEPOINT_PAGE] = 0};
    return at[v->source];
}

/* ---- open */

static bool has_threads(const struct hs_layout *l)
{
    return l->thread_state >= 0 && l->thread_osthread >= 0 && l->osthread_id >= 0 &&
           (l->smr_thread_list != 0 || l->thread_list != 0);
}

int vm_safepoint_open(struct vm_safepoint *ret, const char **ret_missing)
{
    struct vm_safepoint v = {.target = {0}};
    int error = target_open_self(&v.target, ret_missing);
    if (error < 0) {
        target_close(&v.target);
        return error;
    }
    find_symbols(&v);
    find_counters(&v);
    v.polling_page = target_static_value(&v.target, "os", "_polling_page", sizeof(v.polling_page));
    if (v.target.layout->version >= RELEASE_THREAD_POLLS)
        v.polling_page = 0;
    error = find_names(&v);
    vmtables_done(&v.target.tables);
    if (error == 0 && !has_threads(v.target.layout)) {
        *ret_missing = "the states of its threads";
        error = E_FACT_MISSING;
    } else if (error == 0 && !choose(&v)) {
        *ret_missing = "its counters of safepoints (-XX:-UsePerfData) and the symbols of libjvm.so";
        error = E_FACT_MISSING;
    }
    if (error < 0)
        vm_safepoint_close(&v);
    else
        *ret = v;
    return error;
}

void vm_safepoint_close(struct vm_safepoint *v)
{
    free(v->classes);
    target_close(&v->target);
    *v = (struct vm_safepoint){.target = {0}};
}
