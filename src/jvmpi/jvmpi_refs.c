/*
 * jvmpi_refs.c - see jvmpi_refs.h.
 *
 * A walk of the heap happens in a pause and takes the lock, so the lock is not held during a call
 * of the VM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_refs.h"
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/err.h"
#include "base/lock.h"
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_thread.h"
#include "vm/jni_table.h"

static jniNativeInterface *vms; /* the functions before ours; never freed */
static int users;

/* ---- the references that agents have heard of */

enum { BUCKETS = 4096 };

struct known {
    struct known *next;
    jobjectID id; /* id of the object */
    jobject ref;
    uint32_t walk; /* the last walk that has returned the reference */
};

static struct {
    struct lock lock;
    struct known *buckets[BUCKETS];
} known = {.lock = LOCK_INIT(JVMPI_REFS)};

static struct known **bucket_of(jobjectID id)
{
    return &known.buckets[(uintptr_t)id / JVMPI_IDS_STEP % BUCKETS];
}

/* Remember a reference. If there is no memory, dumps do not know it. */
static void remember(jobjectID id, jobject ref)
{
    struct known *k = malloc(sizeof(*k));
    if (!k)
        return;
    lock_take(&known.lock);
    *k = (struct known){.next = *bucket_of(id), .id = id, .ref = ref};
    *bucket_of(id) = k;
    lock_give(&known.lock);
}

static void forget(jobject ref)
{
    jobjectID id = ref ? jvmpi_ids_known(ref) : NULL;
    struct known **at, *gone;
    lock_take(&known.lock);
    at = bucket_of(id);
    while (*at && (*at)->ref != ref)
        at = &(*at)->next;
    gone = *at;
    if (gone)
        *at = gone->next;
    lock_give(&known.lock);
    free(gone);
}

static void forget_all(void)
{
    lock_take(&known.lock);
    for (int i = 0; i < BUCKETS; i++) {
        while (known.buckets[i]) {
            struct known *k = known.buckets[i];
            known.buckets[i] = k->next;
            free(k);
        }
    }
    lock_give(&known.lock);
}

uint32_t jvmpi_refs_begin_walk(void)
{
    static _Atomic uint32_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

jobject jvmpi_refs_next(jobjectID id, uint32_t walk)
{
    jobject ref = NULL;
    lock_take(&known.lock);
    for (struct known *k = *bucket_of(id); k && !ref; k = k->next) {
        if (k->id == id && k->walk != walk) {
            k->walk = walk;
            ref = k->ref;
        }
    }
    lock_give(&known.lock);
    return ref;
}

/* ---- the events */

static void tell_made(JNIEnv *env, jint event, jobject ref)
{
    jvmpi_agents agents = jvmpi_send_whom(event);
    JVMPI_Event e = {.event_type = event, .env_id = env};
    if (!agents || !ref || !jvmpi_thread_is_open(env))
        return;
    jvmpi_self_hush();
    e.u.jni_globalref_alloc.obj_id = jvmpi_alloc_named(env, ref);
    jvmpi_self_speak();
    e.u.jni_globalref_alloc.ref_id = ref;
    jvmpi_send_about(agents, &e, e.u.jni_globalref_alloc.obj_id, ref);
    if (event == JVMPI_EVENT_JNI_GLOBALREF_ALLOC)
        remember(e.u.jni_globalref_alloc.obj_id, ref);
}

static void tell_gone(JNIEnv *env, jint event, jobject ref)
{
    jvmpi_agents agents = jvmpi_send_whom(event);
    JVMPI_Event e = {.event_type = event, .env_id = env};
    if (!agents || !ref || !jvmpi_thread_is_open(env))
        return;
    e.u.jni_globalref_free.ref_id = ref;
    jvmpi_send_to(agents, &e);
}

static jobject JNICALL new_global(JNIEnv *env, jobject object)
{
    jobject ref = vms->NewGlobalRef(env, object);
    tell_made(env, JVMPI_EVENT_JNI_GLOBALREF_ALLOC, ref);
    return ref;
}

static void JNICALL delete_global(JNIEnv *env, jobject ref)
{
    forget(ref);
    tell_gone(env, JVMPI_EVENT_JNI_GLOBALREF_FREE, ref);
    vms->DeleteGlobalRef(env, ref);
}

static jweak JNICALL new_weak(JNIEnv *env, jobject object)
{
    jweak ref = vms->NewWeakGlobalRef(env, object);
    tell_made(env, JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC, ref);
    return ref;
}

static void JNICALL delete_weak(JNIEnv *env, jweak ref)
{
    tell_gone(env, JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE, ref);
    vms->DeleteWeakGlobalRef(env, ref);
}

static const struct jni_table_row functions[] = {
    JNI_TABLE_ROW(NewGlobalRef, new_global),
    JNI_TABLE_ROW(DeleteGlobalRef, delete_global),
    JNI_TABLE_ROW(NewWeakGlobalRef, new_weak),
    JNI_TABLE_ROW(DeleteWeakGlobalRef, delete_weak),
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

int jvmpi_refs_on(JNIEnv *env)
{
    int error = 0;
    if (users++ == 0)
        error = jni_table_put(jvmpi_bridge.vm.main, functions, FUNCTIONS, &vms);
    users -= error != 0;
    return error;
}

void jvmpi_refs_off(void)
{
    if (--users > 0)
        return;
    forget_all(); /* from now on no function of ours sees a reference that is deleted */
    jni_table_take(jvmpi_bridge.vm.main, functions, FUNCTIONS, vms);
}
