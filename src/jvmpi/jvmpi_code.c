/*
 * jvmpi_code.c - see jvmpi_code.h.
 *
 * If JVM_OnLoad enables COMPILED_METHOD_LOAD, the event also tells of the code that the VM compiled
 * before it let agents hear of code; it does so as soon as the VM allows it. If the event is
 * enabled later, code that is compiled already is not told: then only new code is an event.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_code.h"
#include <jvmti.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/lock.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_send.h"
#include "vm/vm_event.h"

enum { NO_LINE = -1 };

/* The code that was told while the VM starts. There is a moment at which the VM begins to report
 * code, and a later one at which it reports all code that exists. Code that is compiled in between
 * is reported twice; the second report comes from a thread of the VM and may come at any time. Code
 * that was freed leaves the list. */
struct told {
    jmethodID method;
    const void *code;
};
static struct {
    struct lock lock;
    struct told *all;
    size_t count, room;
    /* true from the moment at which the event is turned on to the end of the replay */
    bool is_noted;
} told = {.lock = LOCK_INIT(JVMPI_CODE)};

/* Find code in the list. Needs the lock. */
static struct told *find(jmethodID method, const void *code)
{
    for (size_t i = 0; i < told.count; i++)
        if (told.all[i].method == method && told.all[i].code == code)
            return &told.all[i];
    return NULL;
}

/* Add code to the list. If there is no memory, the code may be told twice. Needs the lock. */
static void note(jmethodID method, const void *code)
{
    if (told.count == told.room) {
        size_t room = told.room ? 2 * told.room : 256;
        struct told *all = realloc(told.all, room * sizeof(*all));
        if (!all)
            return;
        told.all = all;
        told.room = room;
    }
    told.all[told.count++] = (struct told){method, code};
}

/* Returns whether the code was told before. After the replay a second report is the last one, so
 * the code leaves the list. */
static bool is_told(jmethodID method, const void *code)
{
    struct told *t;
    bool answer;
    lock_take(&told.lock);
    t = find(method, code);
    answer = t != NULL;
    if (t && !told.is_noted)
        *t = told.all[--told.count];
    else if (!t && told.is_noted)
        note(method, code);
    lock_give(&told.lock);
    return answer;
}

static void forget(void *data, jmethodID method, const void *code)
{
    struct told *t;
    lock_take(&told.lock);
    t = find(method, code);
    if (t)
        *t = told.all[--told.count];
    lock_give(&told.lock);
}

/* The line of a place in the bytecode. */
static jint line_at(const jvmtiLineNumberEntry *lines, jint count, jlocation place)
{
    jlocation best = -1;
    jint line = NO_LINE;
    for (jint i = 0; i < count; i++) {
        if (lines[i].start_location <= place && lines[i].start_location > best) {
            best = lines[i].start_location;
            line = lines[i].line_number;
        }
    }
    return line;
}

static void on_load(void *data, jmethodID method, jint code_size, const void *code, jint map_length,
                    const jvmtiAddrLocationMap *map, const void *info)
{
    jvmpi_agents agents = jvmpi_send_whom(JVMPI_EVENT_COMPILED_METHOD_LOAD);
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    JVMPI_Event e = {.event_type = JVMPI_EVENT_COMPILED_METHOD_LOAD};
    jvmtiLineNumberEntry *lines = NULL;
    JVMPI_Lineno *table;
    jint count = 0, used = 0;
    e.env_id = vm_jni(&jvmpi_bridge.vm);
    if (!agents || jvmpi_class_has_own(e.env_id, method) || is_told(method, code))
        return;
    table = map_length > 0 ? malloc((size_t)map_length * sizeof(*table)) : NULL;
    if ((*jvmti)->GetLineNumberTable(jvmti, method, &count, &lines) != JVMTI_ERROR_NONE)
        count = 0;
    for (jint i = 0; table && count > 0 && i < map_length; i++) {
        jint offset = (jint)((const char *)map[i].start_address - (const char *)code);
        table[used++] = (JVMPI_Lineno){offset, line_at(lines, count, map[i].location)};
    }
    e.u.compiled_method_load.method_id = method;
    e.u.compiled_method_load.code_addr = (void *)code;
    e.u.compiled_method_load.code_size = code_size;
    e.u.compiled_method_load.lineno_table_size = used;
    e.u.compiled_method_load.lineno_table = table;
    jvmpi_send_to(agents, &e);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)lines);
    free(table);
}

/* Send COMPILED_METHOD_UNLOAD. Real agents read the code's address where COMPILED_METHOD_LOAD has
 * it, so this field is set, too. */
static void on_unload(void *data, jmethodID method, const void *code)
{
    JVMPI_Event e = {.event_type = JVMPI_EVENT_COMPILED_METHOD_UNLOAD};
    e.env_id = vm_jni(&jvmpi_bridge.vm);
    e.u.compiled_method_load.method_id = method;
    e.u.compiled_method_load.code_addr = (void *)code;
    jvmpi_send_to(jvmpi_send_whom(JVMPI_EVENT_COMPILED_METHOD_UNLOAD), &e);
}

static struct vm_event_subscriber loads = {.event = VM_EVENT_COMPILED_METHOD,
                                           .on.compiled_method = on_load};
static struct vm_event_subscriber unloads = {.event = VM_EVENT_COMPILED_METHOD_GONE,
                                             .on.compiled_method_gone = on_unload};

static struct vm_event_subscriber forgets = {.event = VM_EVENT_COMPILED_METHOD_GONE,
                                             .on.compiled_method_gone = forget};

int jvmpi_code_load_on(JNIEnv *env)
{
    static bool was_on;

    /* The list is needed only if JVM_OnLoad has enabled the event. When the event is turned on
     * again later, it tells only of new code. */
    if (!was_on && atomic_load(&jvmpi_send.from_start[JVMPI_EVENT_COMPILED_METHOD_LOAD]) != 0)
        told.is_noted = vm_event_add(&forgets, NULL) == 0;
    was_on = true;
    return vm_event_add(&loads, NULL);
}

void jvmpi_code_replay(JNIEnv *env)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    if (!told.is_noted)
        return;
    (*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
    lock_take(&told.lock);
    told.is_noted = false;
    lock_give(&told.lock);
}

void jvmpi_code_load_off(void)
{
    vm_event_remove(&loads);
}

int jvmpi_code_unload_on(JNIEnv *env)
{
    return vm_event_add(&unloads, NULL);
}

void jvmpi_code_unload_off(void)
{
    vm_event_remove(&unloads);
}
