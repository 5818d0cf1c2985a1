/*
 * jvmpi_native.c - see jvmpi_native.h.
 *
 * The first call of a native method decides whether the method is told. The decision is kept by the
 * method's jmethodID.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_native.h"
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "base/pages.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_self.h"
#include "safe/own_class.h"
#include "vm/vm_event.h"

enum {
    PLACES = 1 << 17, /* there are fewer than half as many native methods that are told */
    TRIES = 64,
    ALIGN_SHIFT = 3,
    LEFT_OUT = 1,     /* a value of native.number */
    FIRST_NUMBER = 2, /* the value of native.number that stands for the number 0 */
};

/* A native method that was called. */
struct native {
    jmethodID _Atomic method; /* NULL: the place is free */
    _Atomic uint32_t number;  /* the method's number + FIRST_NUMBER; LEFT_OUT; 0: not decided yet */
};

static struct native *natives; /* [PLACES] */
static const struct jvmpi_native_calls *_Atomic told;

/* The place of a method; NULL: no place is left among those that are searched. */
static struct native *place_of(jmethodID method)
{
    uint64_t at = ((uint64_t)(uintptr_t)method >> ALIGN_SHIFT) * 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < TRIES; i++) {
        struct native *n = &natives[((at >> 40) + i) % PLACES];
        jmethodID there = atomic_load_explicit(&n->method, memory_order_relaxed);
        if (!there && atomic_compare_exchange_strong(&n->method, &there, method))
            return n;
        if (there == method)
            return n;
    }
    return NULL;
}

/* Whether agents are to hear of the method: the classes that our probes call are left out. */
static bool is_wanted(JNIEnv *env, jmethodID method)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    char *name = NULL, *signature = NULL;
    jclass klass = NULL;
    bool answer = false;
    size_t len;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &klass) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE) {
        len = strlen(signature + 1) - 1; /* java/lang/String in Ljava/lang/String; */
        answer = !own_class_is(signature + 1, len) &&
                 method_filter_wants(&jvmpi_bridge.options.filter, signature + 1, len, name,
                                     strlen(name));
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*env)->DeleteLocalRef(env, klass);
    return answer;
}

/* Whether this is a native method of which agents are to hear. If so, *ret_number is its number. */
static bool is_told(JNIEnv *env, jmethodID method, uint32_t *ret_number)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jboolean is_native = JNI_FALSE;
    struct native *n;
    uint32_t known, none = 0;
    if ((*jvmti)->IsMethodNative(jvmti, method, &is_native) != JVMTI_ERROR_NONE || !is_native)
        return false;
    n = place_of(method);
    if (!n)
        return false;
    known = atomic_load_explicit(&n->number, memory_order_acquire);
    if (!known) {
        known =
            is_wanted(env, method) ? atomic_load(&told)->number(method) + FIRST_NUMBER : LEFT_OUT;
        if (!atomic_compare_exchange_strong(&n->number, &none, known))
            known = none;
    }
    *ret_number = known - FIRST_NUMBER;
    return known != LEFT_OUT;
}

static void on_entry(void *data, JNIEnv *env, jthread thread, jmethodID method)
{
    uint32_t number;
    if (!jvmpi_self.quiet && is_told(env, method, &number))
        atomic_load(&told)->begin(env, number);
}

static void on_exit(void *data, JNIEnv *env, jthread thread, jmethodID method,
                    jboolean is_by_exception, jvalue value)
{
    uint32_t number;
    if (!jvmpi_self.quiet && is_told(env, method, &number))
        atomic_load(&told)->end(env, number);
}

static struct vm_event_subscriber events[] = {
    {.event = VM_EVENT_METHOD_ENTRY, .on.method_entry = on_entry},
    {.event = VM_EVENT_METHOD_EXIT, .on.method_exit = on_exit},
};

int jvmpi_native_open(void)
{
    int error = 0;
    if (!jvmpi_bridge.options.has_natives || natives)
        return 0;
    error = vm_event_want(VM_CAN_GENERATE_METHOD_ENTRY_EVENTS, NULL);
    if (!error)
        error = vm_event_want(VM_CAN_GENERATE_METHOD_EXIT_EVENTS, NULL);
    if (!error)
        natives = pages_map(PLACES * sizeof(*natives));
    return error;
}

void jvmpi_native_on(const struct jvmpi_native_calls *calls)
{
    atomic_store(&told, calls);
    if (natives)
        vm_event_add_all(events, 2, NULL);
}

void jvmpi_native_off(void)
{
    if (natives)
        vm_event_remove_all(events, 2);
}
