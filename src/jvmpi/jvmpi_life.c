/*
 * jvmpi_life.c - the life of the library: loaded, VM started, initialised, about to end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "jvmpi/jvmpi_agents.h"
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_code.h"
#include "jvmpi/jvmpi_dump_monitor.h"
#include "jvmpi/jvmpi_gc.h"
#include "jvmpi/jvmpi_hook.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_instruction.h"
#include "jvmpi/jvmpi_lives.h"
#include "jvmpi/jvmpi_load.h"
#include "jvmpi/jvmpi_method.h"
#include "jvmpi/jvmpi_native.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_shape.h"
#include "jvmpi/jvmpi_switch.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"

static void on_vm_start(void *data, JNIEnv *env)
{
    atomic_store(&jvmpi_bridge.phase, JVMPI_STARTED);
    jvmpi_load_run(jvmpi_bridge.vm.java);
    jvmpi_switch_reach(env, JVMPI_STARTED);
}

/* Announce the things that exist before an event can name them: first this thread, which sends the
 * events, then the classes, then the things that name classes. */
static void on_vm_init(void *data, JNIEnv *env, jthread thread)
{
    atomic_store(&jvmpi_bridge.phase, JVMPI_LIVE);
    jvmpi_gc_hear();
    jvmpi_switch_reach(env, JVMPI_LIVE);
    jvmpi_hook_live();
    jvmpi_lives_open(env, thread);
    /* the filter may leave out class objects */
    jvmpi_shape_of(env, jvmpi_ids_class_of_classes(env));
    jvmpi_class_replay(env);
    jvmpi_lives_replay(env);
    jvmpi_code_replay(env);
    jvmpi_gc_start(env);
    jvmpi_alloc_replay(env);
    jvmpi_send_bare(env, JVMPI_EVENT_JVM_INIT_DONE);
}

static void on_data_dump(void *data)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    jvmpi_send_bare(env, JVMPI_EVENT_DATA_DUMP_REQUEST);
    jvmpi_send_bare(env, JVMPI_EVENT_DATA_RESET_REQUEST);
}

/* Send JVM_SHUT_DOWN, which is the last event; only requests of its handlers are still answered. */
static void on_vm_death(void *data, JNIEnv *env)
{
    jvmpi_gc_shut();
    jvmpi_gc_end(env);
    jvmpi_send_close_to_others();
    jvmpi_send_bare(env, JVMPI_EVENT_JVM_SHUT_DOWN);
    jvmpi_send_close();
    atomic_store(&jvmpi_bridge.phase, JVMPI_OVER);
}

static struct vm_event_subscriber events[] = {
    {.event = VM_EVENT_VM_START, .on.vm_start = on_vm_start},
    {.event = VM_EVENT_VM_INIT, .on.vm_init = on_vm_init},
    {.event = VM_EVENT_DATA_DUMP, .on.data_dump = on_data_dump},
    {.event = VM_EVENT_VM_DEATH, .on.vm_death = on_vm_death},
};

/* Read options, and load the agent that they name. Errors: 0; -1: a line was printed. */
static int read_options(const char *text, const char *where)
{
    char *agent = NULL, *agent_options = NULL, error[JVMPI_OPTIONS_ERROR];
    char *copy = text ? strdup(text) : NULL; /* agents keep their options as long as they like */
    if (text && !copy) {
        jvmpi_bridge_say("no memory");
        return -1;
    }
    if (jvmpi_options_read(copy, &jvmpi_bridge.options, &agent, &agent_options, error) != 0) {
        jvmpi_bridge_say("%s: %s", where, error);
        return -1;
    }
    return agent ? jvmpi_load_find(agent, agent_options) : 0;
}

/* Open the VM, then all parts of the bridge. Errors: 0; -1: a line was printed. */
static int open_bridge(JavaVM *java)
{
    static const enum vm_capability wished[] = {VM_CAN_GET_SOURCE_FILE_NAME,
                                                VM_CAN_GET_LINE_NUMBERS};
    struct vm *vm = &jvmpi_bridge.vm;
    if (vm->java)
        return 0;
    int error = vm_open(vm, java);
    if (error || jvmpi_ids_open() != 0) {
        jvmpi_bridge_say(error == E_LIMIT ? "no room for thread-local variables in this process"
                                          : "this VM has no JVM TI 1.2 with tags");
        return -1;
    }
    for (size_t i = 0; i < sizeof(wished) / sizeof(wished[0]); i++)
        vm_env_ask(vm, vm->main, wished[i], NULL);
    vm_event_open(vm);
    if (jvmpi_gc_open() != 0 ||
        vm_event_add_all(events, sizeof(events) / sizeof(events[0]), NULL) != 0) {
        jvmpi_bridge_say("this VM does not tell of its start, its end and its collections");
        return -1;
    }
    jvmpi_alloc_open();
    jvmpi_hook_open();
    jvmpi_method_open();
    jvmpi_instruction_open();
    jvmpi_dump_monitor_open();
    jvmpi_agents_open(java);
    return read_options(getenv("JVMPI_BRIDGE"), "JVMPI_BRIDGE");
}

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java,
                                                                           char *options,
                                                                           void *reserved)
{
    if (open_bridge(java) != 0 || read_options(options, "options") != 0)
        return JNI_ERR;
    if (jvmpi_native_open() != 0) {
        jvmpi_bridge_say("natives=y: this VM does not tell of the calls of native methods");
        return JNI_ERR;
    }
    return JNI_OK;
}
