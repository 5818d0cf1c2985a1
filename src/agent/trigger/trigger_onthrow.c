/*
 * trigger_onthrow.c - onthrow=CLASS: fires when an exception of that class is made or thrown.
 *
 * Calls injected into the constructors of Throwable report the exceptions that are made. The VM
 * makes OutOfMemoryError and StackOverflowError without a constructor. For these two the VM's own
 * event is used. It can be had only when the VM starts, and it makes every throw expensive.
 * docs/triggers.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/names/stack_lines.h"
#include "agent/thrown/thrown.h"
#include "agent/trigger/trigger.h"
#include "base/err.h"
#include "options/options_group.h"
#include "vm/injector.h"
#include "vm/vm_event.h"
#include "vm/vm_names.h"

extern const struct options_group options_onthrow;

extern const struct trigger trigger_onthrow;

static struct agent *agent;

/* Whether the VM makes exceptions of this class without a constructor. */
static bool is_of_vm(const struct trigger_watch *w)
{
    return strcmp(w->on.what, "java/lang/OutOfMemoryError") == 0 ||
           strcmp(w->on.what, "java/lang/StackOverflowError") == 0;
}

static bool has_name(jvmtiEnv *jvmti, const struct trigger_watch *w, jclass klass)
{
    char *signature = NULL;
    const char *name;
    bool is_it = false;
    size_t len;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return false;
    name = vm_names_class(signature, &len);
    is_it = trigger_set_has_name(w, name, len);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return is_it;
}

/* Whether the watch means the class, or a class above it if subclasses are wanted. */
static bool is_meant(JNIEnv *env, const struct trigger_watch *w, jclass klass)
{
    jvmtiEnv *jvmti = agent->vm.main;
    bool is_it = has_name(jvmti, w, klass);
    jclass at = klass;
    while (!is_it && w->has_more && at) {
        jclass above = (*env)->GetSuperclass(env, at);
        if (at != klass)
            (*env)->DeleteLocalRef(env, at);
        at = above;
        is_it = above && has_name(jvmti, w, above);
    }
    if (at && at != klass)
        (*env)->DeleteLocalRef(env, at);
    return is_it;
}

static void see(JNIEnv *env, jobject object, bool is_of_vm_alone)
{
    struct trigger_watch *w;
    jclass klass = NULL;
    if (agent_lock_is_mine(agent)) /* our own calls may throw */
        return;
    for (int at = 0; (w = trigger_set_next(&trigger_onthrow, &at)) != NULL;) {
        if (!trigger_is_live(w) || is_of_vm(w) != is_of_vm_alone)
            continue;
        klass = klass ? klass : (*env)->GetObjectClass(env, object);
        if (is_meant(env, w, klass))
            trigger_thread_fire(w, trigger_said(agent, env, object),
                                stack_lines_here(stack_lines_env(agent), env, klass));
    }
    if (klass)
        (*env)->DeleteLocalRef(env, klass);
}

static void see_made(JNIEnv *env, jobject object, int skip)
{
    see(env, object, false);
}

static void see_thrown(JNIEnv *env, jobject object, int skip)
{
    see(env, object, true);
}

static struct gate made_gate, throws_gate;
static struct thrown_user made = {.see = see_made, .gate = &made_gate},
                          throws = {.see = see_thrown, .gate = &throws_gate, .is_of_throws = true};

static void read(struct trigger_watch *w)
{
    size_t len = strlen(w->on.what);
    w->has_more = w->on.what[len - 1] == '+';
    if (w->has_more)
        w->on.what[len - 1] = '\0';
}

/* Refuse the watch; the message has the class as the user wrote it, with dots. */
static int refuse(const struct trigger_watch *w, const char *why)
{
    log_error("onthrow=%s: %s", w->on.what, why);
    return E_UNSUPPORTED;
}

static int load(struct agent *a, const struct trigger_watch *w)
{
    struct vm_env_refusal why;
    if (is_of_vm(w) ? vm_event_want(VM_CAN_GENERATE_EXCEPTION_EVENTS, &why) == 0
                    : injector_open(&a->vm) == 0)
        return 0;
    return refuse(w, is_of_vm(w)
                         ? "the VM makes it without a constructor, and tells of throws only "
                           "where the agent was there when it started; onoom=y can be asked "
                           "for at any time"
                         : "this VM does not let its classes be changed");
}

static int arm(struct agent *a, JNIEnv *env, struct trigger_watch *w)
{
    agent = a;
    return thrown_add(a, env, is_of_vm(w) ? &throws : &made) == 0
               ? 0
               : refuse(w, "this VM does not tell of exceptions");
}

static void disarm(struct agent *a)
{
    thrown_remove(&made);
    thrown_remove(&throws);
}

static int release(struct agent *a)
{
    if (thrown_settle(&made) && thrown_settle(&throws))
        return 0;
    log_error("onthrow=: somebody still looks at an exception");
    return E_VM_STATE;
}

const struct trigger trigger_onthrow = {
    .name = "onthrow",
    .options = &options_onthrow,
    .can_hold = true,
    .read = read,
    .load = load,
    .arm = arm,
    .disarm = disarm,
    .release = release,
};
