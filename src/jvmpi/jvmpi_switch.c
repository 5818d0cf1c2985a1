/*
 * jvmpi_switch.c - see jvmpi_switch.h.
 *
 * The list of all events. A row says from which phase on an event can come, and which functions
 * turn its source on and off. A row with only a phase is an event that is always made, or never
 * (OBJECT_MOVE). An event without a row is not available.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_switch.h"
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_class.h"
#include "jvmpi/jvmpi_code.h"
#include "jvmpi/jvmpi_dump.h"
#include "jvmpi/jvmpi_dump_monitor.h"
#include "jvmpi/jvmpi_hook.h"
#include "jvmpi/jvmpi_instruction.h"
#include "jvmpi/jvmpi_lives.h"
#include "jvmpi/jvmpi_method.h"
#include "jvmpi/jvmpi_monitor.h"
#include "jvmpi/jvmpi_refs.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_steady.h"

/* Rows of events that share a source. */
#define METHOD                                                                                     \
    {                                                                                              \
        ENABLED, JVMPI_LIVE, jvmpi_method_on, jvmpi_method_off                                     \
    }
#define REFERENCES                                                                                 \
    {                                                                                              \
        ENABLED, JVMPI_LIVE, jvmpi_refs_on, jvmpi_refs_off                                         \
    }
#define CONTENDED                                                                                  \
    {                                                                                              \
        ENABLED, JVMPI_LIVE, jvmpi_monitor_contended_on, jvmpi_monitor_contended_off               \
    }
#define WAIT                                                                                       \
    {                                                                                              \
        ENABLED, JVMPI_LIVE, jvmpi_monitor_wait_on, jvmpi_monitor_wait_off                         \
    }

enum kind { NOT_AVAILABLE, ENABLED };

static const struct row {
    enum kind kind;
    enum jvmpi_phase phase;
    int (*on)(JNIEnv *env); /* NULL: nothing is to be turned on. Errors: 0, or < 0 */
    void (*off)(void);
    /* tells what an agent was promised, before the agent stops to hear the event; may be NULL */
    void (*rest)(JNIEnv *env);
} rows[JVMPI_SEND_EVENTS] = {
    [JVMPI_EVENT_METHOD_ENTRY] = METHOD,
    [JVMPI_EVENT_METHOD_ENTRY2] = {ENABLED, JVMPI_LIVE, jvmpi_method_objects_on,
                                   jvmpi_method_objects_off},
    [JVMPI_EVENT_METHOD_EXIT] = METHOD,
    [JVMPI_EVENT_OBJECT_ALLOC] = {ENABLED, JVMPI_LIVE, jvmpi_alloc_on, jvmpi_alloc_off},
    [JVMPI_EVENT_OBJECT_FREE] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_OBJECT_MOVE] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_COMPILED_METHOD_LOAD] = {ENABLED, JVMPI_LIVE, jvmpi_code_load_on,
                                          jvmpi_code_load_off},
    [JVMPI_EVENT_COMPILED_METHOD_UNLOAD] = {ENABLED, JVMPI_LIVE, jvmpi_code_unload_on,
                                            jvmpi_code_unload_off},
    [JVMPI_EVENT_INSTRUCTION_START] = {ENABLED, JVMPI_LIVE, jvmpi_instruction_on,
                                       jvmpi_instruction_off},
    [JVMPI_EVENT_THREAD_START] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_THREAD_END] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_CLASS_LOAD_HOOK] = {ENABLED, JVMPI_STARTED, jvmpi_hook_on, jvmpi_hook_off},
    [JVMPI_EVENT_JNI_GLOBALREF_ALLOC] = REFERENCES,
    [JVMPI_EVENT_JNI_GLOBALREF_FREE] = REFERENCES,
    [JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC] = REFERENCES,
    [JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE] = REFERENCES,
    [JVMPI_EVENT_CLASS_LOAD] = {ENABLED, JVMPI_LIVE, jvmpi_class_on, jvmpi_class_off,
                                jvmpi_class_replay},
    [JVMPI_EVENT_CLASS_UNLOAD] = {ENABLED, JVMPI_LIVE, jvmpi_class_unload_on,
                                  jvmpi_class_unload_off},
    [JVMPI_EVENT_DATA_DUMP_REQUEST] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_DATA_RESET_REQUEST] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_JVM_INIT_DONE] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_JVM_SHUT_DOWN] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_ARENA_NEW] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_ARENA_DELETE] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTER] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_RAW_MONITOR_CONTENDED_ENTERED] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_RAW_MONITOR_CONTENDED_EXIT] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_MONITOR_CONTENDED_ENTER] = CONTENDED,
    [JVMPI_EVENT_MONITOR_CONTENDED_ENTERED] = CONTENDED,
    [JVMPI_EVENT_MONITOR_CONTENDED_EXIT] = {ENABLED, JVMPI_LIVE, jvmpi_monitor_exit_on,
                                            jvmpi_monitor_exit_off},
    [JVMPI_EVENT_MONITOR_WAIT] = WAIT,
    [JVMPI_EVENT_MONITOR_WAITED] = WAIT,
    [JVMPI_EVENT_GC_START] = {ENABLED, JVMPI_LOADING, NULL, NULL},
    [JVMPI_EVENT_GC_FINISH] = {ENABLED, JVMPI_LOADING, NULL, NULL},
};

/* The agents that have enabled an event, even if the event cannot come yet. */
static jvmpi_agents asked[JVMPI_SEND_EVENTS];

/* ---- one event. All functions need the lock */

static bool is_reached(const struct row *row)
{
    return atomic_load(&jvmpi_bridge.phase) >= (int)row->phase;
}

/* Turn a source on or off. Work of the VM that this causes counts as the bridge's own. Errors: 0,
 * or < 0. */
static int turn(const struct row *row, JNIEnv *env, bool is_on)
{
    int error = 0;
    jvmpi_self_hush();
    if (is_on && row->on)
        error = row->on(env);
    if (!is_on && row->off)
        row->off();
    jvmpi_self_speak();
    return error;
}

/* From now on send the event to the agents that have enabled it. */
static jint settle(jint event, JNIEnv *env)
{
    const struct row *row = &rows[event];
    jvmpi_agents before = atomic_load(&jvmpi_send.wanted[event]), now = asked[event];
    if (!is_reached(row))
        return JVMPI_SUCCESS;
    atomic_store(&jvmpi_send.wanted[event], now); /* a source may begin to send at once */
    if (!now == !before || turn(row, env, now != 0) == 0)
        return JVMPI_SUCCESS;
    atomic_store(&jvmpi_send.wanted[event], 0);
    asked[event] = 0;
    return JVMPI_FAIL;
}

/* ---- functions that agents call */

static const struct row *row_of(jint event)
{
    return event > 0 && event < JVMPI_SEND_EVENTS ? &rows[event] : &rows[0];
}

static jint change(jint event, int agent, bool is_on)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    const struct row *row = row_of(event);
    jint result;
    if (row->kind != ENABLED)
        return JVMPI_NOT_AVAILABLE;
    /* The VM does nothing for a thread that it does not know, and nothing after its end. */
    if (is_reached(row) && row->on && (!env || atomic_load(&jvmpi_bridge.phase) == JVMPI_OVER))
        return JVMPI_FAIL;
    jvmpi_steady_take(env, JVMPI_STEADY_SWITCHES);
    if (is_on)
        asked[event] |= 1u << agent;
    else
        asked[event] &= ~(1u << agent);
    result = settle(event, env);
    jvmpi_steady_give(JVMPI_STEADY_SWITCHES);
    if (env && jvmpi_bridge_is_live())
        jvmpi_class_catch_up(env);
    return result;
}

jint jvmpi_switch_enable(int agent, jint event, void *arg)
{
    return change(event, agent, true);
}

/* Tell an agent what it was promised before it turns an event off. The VM does not report array
 * classes when they are made. An agent that turns the event off and then asks for a dump must know
 * the array classes in the dump. */
static void tell_rest(int agent, jint event)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    if (env && row_of(event)->rest && jvmpi_bridge_is_live() &&
        (jvmpi_send_promised(event) & 1u << agent))
        row_of(event)->rest(env);
}

jint jvmpi_switch_disable(int agent, jint event, void *arg)
{
    jint result;
    tell_rest(agent, event);
    result = change(event, agent, false);

    jvmpi_send_settle();
    return result;
}

jint jvmpi_switch_request(int agent, jint event, void *arg)
{
    JNIEnv *env = jvmpi_bridge_is_live() ? vm_jni(&jvmpi_bridge.vm) : NULL;
    switch (event) {
    case JVMPI_EVENT_CLASS_LOAD:
        return env ? jvmpi_class_request(env, agent, arg) : JVMPI_FAIL;
    case JVMPI_EVENT_HEAP_DUMP:
        return env ? jvmpi_dump_heap_request(env, agent, arg) : JVMPI_FAIL;
    case JVMPI_EVENT_MONITOR_DUMP:
        return env ? jvmpi_dump_monitor_request(env, agent) : JVMPI_FAIL;
    case JVMPI_EVENT_OBJECT_DUMP:
        return env ? jvmpi_dump_object_request(env, agent, arg) : JVMPI_FAIL;
    case JVMPI_EVENT_OBJECT_ALLOC:
        return env ? jvmpi_alloc_request(env, agent, arg) : JVMPI_FAIL;
    case JVMPI_EVENT_THREAD_START:
        return env ? jvmpi_lives_request(env, agent, arg) : JVMPI_FAIL;
    default:
        return JVMPI_NOT_AVAILABLE;
    }
}

void jvmpi_switch_reach(JNIEnv *env, enum jvmpi_phase phase)
{
    jvmpi_steady_take(env, JVMPI_STEADY_SWITCHES);
    for (jint event = 0; event < JVMPI_SEND_EVENTS && phase == JVMPI_LIVE; event++)
        atomic_store(&jvmpi_send.from_start[event], asked[event]);
    for (jint event = 0; event < JVMPI_SEND_EVENTS; event++)
        if (rows[event].phase == phase && asked[event] && settle(event, env) < 0)
            jvmpi_bridge_say(
                "event %d of JVMPI is not available: the VM does not give what it needs",
                (int)event);
    jvmpi_steady_give(JVMPI_STEADY_SWITCHES);
}
