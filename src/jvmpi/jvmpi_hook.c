/*
 * jvmpi_hook.c - see jvmpi_hook.h.
 *
 * An agent's handler may call Java, and this code may then be called again for another class. So
 * nothing is kept between calls.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_hook.h"
#include <string.h>
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_send.h"
#include "safe/own_class.h"
#include "vm/vm_event.h"
#include "vm/vm_lookup.h"

/* malloc_f of the event: memory that the VM can free. */
static void *allocate(unsigned int bytes)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    unsigned char *memory = NULL;
    return (*jvmti)->Allocate(jvmti, (jlong)bytes, &memory) == JVMTI_ERROR_NONE ? memory : NULL;
}

/* Send the event to one agent. If the agent gives new bytes, which lie in memory of allocate(),
 * they replace *new_bytes. */
static void ask_agent(int agent, JNIEnv *env, const unsigned char *bytes, jint len, jint *new_len,
                      unsigned char **new_bytes)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    JVMPI_Event e = {.event_type = JVMPI_EVENT_CLASS_LOAD_HOOK, .env_id = env};
    e.u.class_load_hook.class_data = (unsigned char *)bytes;
    e.u.class_load_hook.class_data_len = len;
    e.u.class_load_hook.malloc_f = allocate;
    jvmpi_send_one(agent, &e);
    if (env && jvmpi_bridge_is_live())
        /* otherwise the thread that loads the class would throw the handler's pending exception */
        vm_lookup_clear(env);
    if (!e.u.class_load_hook.new_class_data || e.u.class_load_hook.new_class_data == bytes ||
        e.u.class_load_hook.new_class_data_len <= 0)
        return;
    if (*new_bytes)
        (*jvmti)->Deallocate(jvmti, *new_bytes);
    *new_bytes = e.u.class_load_hook.new_class_data;
    *new_len = e.u.class_load_hook.new_class_data_len;
}

static void on_class_file(void *data, JNIEnv *env, jclass redefined, jobject loader,
                          const char *name, jobject domain, jint len, const unsigned char *bytes,
                          jint *new_len, unsigned char **new_bytes)
{
    if (name && own_class_is(name, strlen(name)))
        return;
    for (jvmpi_agents who = jvmpi_send_whom(JVMPI_EVENT_CLASS_LOAD_HOOK); who; who &= who - 1) {
        ask_agent(__builtin_ctz(who), env, *new_bytes ? *new_bytes : bytes,
                  *new_bytes ? *new_len : len, new_len, new_bytes);
    }
}

static struct vm_event_subscriber on_file = {.event = VM_EVENT_CLASS_FILE,
                                             .on.class_file = on_class_file};

/* Whether the source of the event may be turned on and off. Between the load of the library and the
 * end of the VM's initialisation JVM TI gives no capability and turns no event on, and agents ask
 * for the event in this time. */
static bool may_turn(void)
{
    return atomic_load(&jvmpi_bridge.phase) >= JVMPI_LIVE;
}

void jvmpi_hook_open(void)
{
    vm_event_add(&on_file, NULL);
}

void jvmpi_hook_live(void)
{
    if (!atomic_load(&jvmpi_send.wanted[JVMPI_EVENT_CLASS_LOAD_HOOK]))
        vm_event_remove(&on_file);
}

int jvmpi_hook_on(JNIEnv *env)
{
    return may_turn() ? vm_event_add(&on_file, NULL) : 0;
}

void jvmpi_hook_off(void)
{
    if (may_turn())
        vm_event_remove(&on_file);
}
