/*
 * jvmpi_code.c - see jvmpi_code.h.
 *
 * What is compiled already when COMPILED_METHOD_LOAD is turned on is not told again: the seed's
 * events are those that happen. SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_code.h"
#include <jvmti.h>
#include <stdlib.h>
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_send.h"
#include "vm/vm_event.h"

enum { NO_LINE = -1 };

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
    if (!agents || jvmpi_class_has_own(e.env_id, method))
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

/* Real agents read the address where COMPILED_METHOD_LOAD has it, so it is there. */
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

int jvmpi_code_load_on(JNIEnv *env)
{
    return vm_event_add(&loads, NULL);
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
