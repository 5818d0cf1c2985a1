/*
 * jvmpi_suspend.c - see jvmpi_suspend.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_suspend.h"
#include <jvmti.h>
#include <string.h>
#include "base/os_thread.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_gc.h"
#include "jvmpi/jvmpi_raw.h"
#include "jvmpi/jvmpi_steady.h"
#include "jvmpi/jvmpi_thread.h"
#include "vm/vm_env.h"
#include "vm/vm_heap.h"
#include "vm/vm_threads.h"
#include "vm/vmself.h"

/* Whether threads can be suspended. Only one environment of all agents can have the capability, so
 * it is asked for when it is needed first. */
static bool can_suspend(void)
{
    static _Atomic int state; /* 0: not asked yet; 1: yes; -1: no */
    struct vm_env_refusal why;
    char text[VM_ENV_TEXT];
    if (atomic_load(&state) == 0) {
        bool is_good =
            vm_env_ask(&jvmpi_bridge.vm, jvmpi_bridge.vm.main, VM_CAN_SUSPEND, &why) == 0;
        if (atomic_exchange(&state, is_good ? 1 : -1) == 0 && !is_good)
            jvmpi_bridge_say("threads cannot be suspended: %s", vm_env_say(&why, text));
    }
    return atomic_load(&state) > 0;
}

/* The record of a live thread, to be released by jvmpi_thread_let_go(); NULL: there is none. */
static struct jvmpi_thread *hold(JNIEnv *of)
{
    return jvmpi_bridge_is_live() ? jvmpi_thread_hold(of) : NULL;
}

/* Suspend a thread. Needs jvmpi_steady_take_all(). */
static jint suspend_thread(JNIEnv *env, struct jvmpi_thread *t)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    if (atomic_load(&t->is_suspended) || !can_suspend())
        return JVMPI_FAIL;
    (*jvmti)->GetThreadState(jvmti, t->ref, &t->state);
    if ((*jvmti)->SuspendThread(jvmti, t->ref) != JVMTI_ERROR_NONE)
        return JVMPI_FAIL;
    atomic_store(&t->is_suspended, true);
    t->suspended_ns[1] = t->suspended_ns[0];
    t->suspended_ns[0] = os_thread_cpu_ns(vmself_tid(vm_threads_address(env, t->ref)));
    return JVMPI_SUCCESS;
}

/* Whether the method is Object.wait, or the native method that Object.wait calls, which has another
 * name in later JDKs. */
static bool is_wait(JNIEnv *env, jmethodID method)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    char *name = NULL, *klass_name = NULL;
    jclass klass = NULL;
    bool answer = false;
    (*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL);
    (*jvmti)->GetMethodDeclaringClass(jvmti, method, &klass);
    if (klass)
        (*jvmti)->GetClassSignature(jvmti, klass, &klass_name, NULL);
    if (name && klass_name)
        answer = strncmp(name, "wait", 4) == 0 && strcmp(klass_name, "Ljava/lang/Object;") == 0;
    (*env)->DeleteLocalRef(env, klass);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)klass_name);
    return answer;
}

jobject jvmpi_suspend_waited(JNIEnv *env, jthread thread)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jobject object = NULL;
    jmethodID method;
    jlocation location;
    jint state = 0;
    (*jvmti)->GetThreadState(jvmti, thread, &state);
    if (!(state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT) || !can_suspend() ||
        !jvmpi_steady_take_all(env))
        return NULL;
    jvmtiError error = (*jvmti)->SuspendThread(jvmti, thread);
    if ((error == JVMTI_ERROR_NONE || error == JVMTI_ERROR_THREAD_SUSPENDED) &&
        ((*jvmti)->GetFrameLocation(jvmti, thread, 0, &method, &location) != JVMTI_ERROR_NONE ||
         !is_wait(env, method) ||
         vm_heap_local_instance(jvmti, thread, 0, &object) != JVMTI_ERROR_NONE))
        object = NULL;
    if (error == JVMTI_ERROR_NONE)
        (*jvmti)->ResumeThread(jvmti, thread);
    jvmpi_steady_give_all();
    return object;
}

static jint suspend(JNIEnv *env, JNIEnv *of)
{
    struct jvmpi_thread *t = of == env ? NULL : hold(of);
    jint result = JVMPI_FAIL;
    if (!t)
        return JVMPI_FAIL;
    /* agents wait for the events of this thread, so it runs on, as the VM's collectors do */
    if (jvmpi_gc_is_teller(of))
        result = JVMPI_SUCCESS;
    else if (jvmpi_steady_take_all(env)) {
        result = suspend_thread(env, t);
        jvmpi_steady_give_all();
    }
    jvmpi_thread_let_go(env, t);
    return result;
}

/* Resume a thread. is_suspended is cleared last: until then the thread takes no lock with which it
 * could stop. A thread that is suspended while the VM ends is resumed, too, because it may be the
 * thread that ends the VM. */
static jint resume(JNIEnv *env, JNIEnv *of)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    struct jvmpi_thread *t = jvmpi_thread_hold(of);
    jint result = JVMPI_FAIL;
    if (!t)
        return JVMPI_FAIL;
    if (jvmpi_gc_is_teller(of))
        result = JVMPI_SUCCESS;
    if (atomic_load(&t->is_suspended)) {
        if ((*jvmti)->ResumeThread(jvmti, t->ref) == JVMTI_ERROR_NONE)
            result = JVMPI_SUCCESS;
        atomic_store(&t->is_suspended, false);
    }
    jvmpi_thread_let_go(env, t);
    return result;
}

void jvmpi_suspend_thread(JNIEnv *of)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    if (env)
        suspend(env, of);
}

void jvmpi_suspend_resume(JNIEnv *of)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    if (env)
        resume(env, of);
}

void jvmpi_suspend_list(jint count, JNIEnv **list, jint *results)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    for (jint i = 0; list && results && i < count; i++)
        results[i] = env ? suspend(env, list[i]) : JVMPI_FAIL;
}

void jvmpi_suspend_resume_list(jint count, JNIEnv **list, jint *results)
{
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    for (jint i = 0; list && results && i < count; i++)
        results[i] = env ? resume(env, list[i]) : JVMPI_FAIL;
}

jint jvmpi_suspend_status(JNIEnv *of)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    JNIEnv *env = vm_jni(&jvmpi_bridge.vm);
    struct jvmpi_thread *t = env ? hold(of) : NULL;
    jint state = 0, status = JVMPI_THREAD_RUNNABLE, raw;
    bool is_known;
    if (!t)
        return 0;
    if (atomic_load(&t->is_suspended))
        state = t->state;
    is_known = atomic_load(&t->is_suspended) ||
               (*jvmti)->GetThreadState(jvmti, t->ref, &state) == JVMTI_ERROR_NONE;
    jvmpi_thread_let_go(env, t);
    if (!is_known)
        return 0;
    if (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        status = JVMPI_THREAD_MONITOR_WAIT;
    else if (state &
             (JVMTI_THREAD_STATE_WAITING | JVMTI_THREAD_STATE_SLEEPING | JVMTI_THREAD_STATE_PARKED))
        status = JVMPI_THREAD_CONDVAR_WAIT;
    else if ((raw = jvmpi_raw_status(of)) != 0) /* for the VM the thread runs code of the agent */
        status = raw;
    if (state & JVMTI_THREAD_STATE_SUSPENDED)
        status |= JVMPI_THREAD_SUSPENDED;
    if (state & JVMTI_THREAD_STATE_INTERRUPTED)
        status |= JVMPI_THREAD_INTERRUPTED;
    return status;
}

jboolean jvmpi_suspend_has_run(JNIEnv *of)
{
    const struct jvmpi_thread *t = jvmpi_thread_find(of);
    return t && t->suspended_ns[0] != t->suspended_ns[1] ? JNI_TRUE : JNI_FALSE;
}
