/*
 * jvmpi_life.c - the life of the library: loaded, VM started, initialised, about to end.
 *
 * The bridge loads the agents that its options name. The VM loads the agents of -Xrun and calls
 * their JVM_OnLoad after ours.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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
#include "jvmpi/jvmpi_method.h"
#include "jvmpi/jvmpi_native.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_shape.h"
#include "jvmpi/jvmpi_switch.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"
#include "vm/vm_pause.h"

/* ---- agents that the bridge loads itself: agent=foo:opts */

enum { TRIED = 2048 };

typedef jint JNICALL on_load(JavaVM *java, char *options, void *reserved);

static struct found {
    const char *name;
    char *options;
    on_load *run;
} found[JVMPI_AGENTS_MAX];
static int found_count;

/* The folders of a JDK's libraries below java.home: first JDK 9 and later, then JDK 8. */
static const char *const folders[] = {
    "lib",
#ifdef __aarch64__
    "lib/aarch64",
#else
    "lib/amd64",
#endif
};

/* Append to `tried` a path and the reason why it was not taken. */
static void note_tried(char tried[TRIED], const char *text)
{
    size_t used = strlen(tried);
    snprintf(tried + used, TRIED - used, "%s%.1000s", used > 0 ? "; " : "", text);
}

/* Open a library, or append to `tried` why this failed. */
static void *open_library(const char *path, char tried[TRIED])
{
    void *library = dlopen(path, RTLD_LAZY);
    if (!library)
        note_tried(tried, dlerror());
    return library;
}

/* Open a library in a folder. The message for a missing file has the same form as the others. */
static void *open_in_folder(const char *path, char tried[TRIED])
{
    char text[PATH_MAX + 64];
    if (access(path, F_OK) == 0)
        return open_library(path, tried);
    snprintf(text, sizeof(text), "%s: %s", path, strerror(errno));
    note_tried(tried, text);
    return NULL;
}

static void *search_library(const char *name, char tried[TRIED])
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    char path[PATH_MAX], *home = NULL;
    void *library = NULL;
    if (strchr(name, '/'))
        return open_library(name, tried);
    (*jvmti)->GetSystemProperty(jvmti, "java.home", &home);
    for (size_t i = 0; home && !library && i < sizeof(folders) / sizeof(folders[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s/lib%s.so", home, folders[i], name);
        library = open_in_folder(path, tried);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)home);
    snprintf(path, sizeof(path), "lib%s.so", name);
    return library ? library : open_library(path, tried);
}

/* Find the library of the agent `name` (a word, or a path if it has a slash) and its JVM_OnLoad.
 * The search is that of the VM for -Xrun: in the JDK's library folder, then as dlopen does.
 * `options` must live as long as the VM. Errors: 0; -1, and a line says what was tried. */
static int find_agent(const char *name, char *options)
{
    char tried[TRIED] = "";
    struct found *f = &found[found_count];
    void *library, *symbol;
    if (found_count == JVMPI_AGENTS_MAX) {
        jvmpi_bridge_say("agent %s: there are %d agents already", name, JVMPI_AGENTS_MAX);
        return -1;
    }
    library = search_library(name, tried);
    if (!library) {
        jvmpi_bridge_say("agent %s was not found; tried in turn: %s", name, tried);
        return -1;
    }
    symbol = dlsym(library, "JVM_OnLoad");
    if (!symbol) {
        jvmpi_bridge_say("agent %s has no JVM_OnLoad: it is no JVMPI agent", name);
        dlclose(library);
        return -1;
    }
    *f = (struct found){.name = name, .options = options};
    memcpy(&f->run, &symbol, sizeof(symbol));
    found_count++;
    return 0;
}

/* Call JVM_OnLoad of the agents that were found. Agents use JNI in JVM_OnLoad, so the VM must
 * have a JNIEnv for this thread. If one fails, the VM ends with a line, as with -Xrun. */
static void run_agents(JavaVM *java)
{
    for (int i = 0; i < found_count; i++) {
        jint result = found[i].run(java, found[i].options, NULL);
        if (result == JNI_OK)
            continue;
        jvmpi_bridge_say("JVM_OnLoad of agent %s failed: it returned %d", found[i].name,
                         (int)result);
        fflush(NULL);
        _exit(EXIT_FAILURE);
    }
}

/* ---- the life of the library */

static void on_vm_start(void *data, JNIEnv *env)
{
    atomic_store(&jvmpi_bridge.phase, JVMPI_STARTED);
    run_agents(jvmpi_bridge.vm.java);
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
    return agent ? find_agent(agent, agent_options) : 0;
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
    vm_pause_open(vm);
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
