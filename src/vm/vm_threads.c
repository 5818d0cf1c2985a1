/*
 * vm_threads.c - see vm_threads.h.
 *
 * Thread-local storage holds the address of the record. After vm_threads_leave() it holds the mark
 * as an odd number.
 * Source: HotSpot javaClasses.cpp, java_lang_Thread::eetop; JavaThread::_jni_environment.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_threads.h"
#include <stdalign.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/err.h"
#include "vm/vm.h"
#include "vm/vm_lookup.h"
#include "vm/vmself.h"

enum {
    JAVA_THREAD_BYTES_MAX = 65536,
    ALIGNMENT = alignof(max_align_t),
};

static struct {
    const struct vm *vm;
    struct vm_thread *live, *own;
    struct vm_threads_row *rows;
    size_t bytes; /* size of a record with all rows; 0: there is no row */
    /* java.lang.Thread.eetop, the address of the JavaThread; NULL: not known */
    jfieldID eetop;
    intptr_t env_offset; /* 0: not known */
} threads;

/* ---- the VM's offsets */

static void learn(JNIEnv *env)
{
    jvmtiEnv *jvmti = threads.vm->main;
    struct vm_lookup l = vm_lookup_begin(env);
    jthread self = NULL;
    threads.env_offset = 0;
    threads.eetop = vm_lookup_field(&l, vm_lookup_class(&l, "java/lang/Thread"), "eetop", "J");
    if ((*jvmti)->GetCurrentThread(jvmti, &self) == JVMTI_ERROR_NONE && self) {
        uint64_t address = vm_threads_address(env, self);
        /* The JNIEnv is a member of the JavaThread, so its offset is the same in every thread. */
        intptr_t offset = (intptr_t)env - (intptr_t)address;

        if (address && offset > 0 && offset < JAVA_THREAD_BYTES_MAX)
            threads.env_offset = offset;
    }
    vm_lookup_end(&l);
}

uint64_t vm_threads_address(JNIEnv *env, jthread thread)
{
    return threads.eetop ? (uint64_t)(*env)->GetLongField(env, thread, threads.eetop) : 0;
}

intptr_t vm_threads_env_offset(void)
{
    return threads.env_offset;
}

static void *env_of(uint64_t address)
{
    return address && threads.env_offset
               ? (void *)(uintptr_t)(address + (uint64_t)threads.env_offset)
               : NULL;
}

void *vm_threads_jni_env(JNIEnv *env, jthread thread)
{
    return env_of(vm_threads_address(env, thread));
}

/* ---- rows */

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t record_bytes(void)
{
    return threads.bytes ? threads.bytes : aligned(sizeof(struct vm_thread));
}

int vm_threads_add_row(struct vm_threads_row *row)
{
    if (row->offset)
        return 0;
    if (threads.live || threads.own)
        return E_VM_STATE;
    row->offset = record_bytes();
    threads.bytes = row->offset + aligned(row->bytes);
    row->next = threads.rows;
    threads.rows = row;
    return 0;
}

/* ---- records */

static void *mark_of(uint32_t mark)
{
    return (void *)((uintptr_t)mark << 1 | 1);
}

static uintptr_t storage_of(jthread thread)
{
    jvmtiEnv *jvmti = threads.vm->main;
    void *data = NULL;
    (*jvmti)->GetThreadLocalStorage(jvmti, thread, &data);
    return (uintptr_t)data;
}

struct vm_thread *vm_threads_find(jthread thread)
{
    uintptr_t storage = storage_of(thread);
    return storage & 1 ? NULL : (struct vm_thread *)storage;
}

uint32_t vm_threads_mark(jthread thread)
{
    uintptr_t storage = storage_of(thread);
    return storage & 1 ? (uint32_t)(storage >> 1) : 0;
}

static void put_first(struct vm_thread **list, struct vm_thread *t)
{
    t->next = *list;
    t->link = list;
    if (t->next)
        t->next->link = &t->next;
    *list = t;
}

/* Make a record like `pattern`, filled by the rows, and put it into thread-local storage. NULL: no
 * memory, or the thread is not alive any more. */
static struct vm_thread *add(struct vm_thread **list, jthread thread,
                             const struct vm_thread *pattern)
{
    jvmtiEnv *jvmti = threads.vm->main;
    struct vm_thread *t = calloc(1, record_bytes());
    if (!t)
        return NULL;
    *t = *pattern;
    for (const struct vm_threads_row *row = threads.rows; row; row = row->next)
        if (row->fill)
            row->fill(t);
    if ((*jvmti)->SetThreadLocalStorage(jvmti, thread, t) != JVMTI_ERROR_NONE) {
        free(t);
        return NULL;
    }
    put_first(list, t);
    return t;
}

static void forget(JNIEnv *env, struct vm_thread *t)
{
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    if (t->ref)
        (*env)->DeleteGlobalRef(env, t->ref);
    free(t);
}

struct vm_thread *vm_threads_enter(JNIEnv *env, jthread thread, bool is_self, bool *ret_is_new)
{
    uintptr_t storage = storage_of(thread);
    struct vm_thread *t = (struct vm_thread *)storage;
    *ret_is_new = !storage;
    if (storage & 1)
        return NULL;
    if (!t) {
        t = add(&threads.live, thread,
                &(struct vm_thread){.java_thread = vm_threads_address(env, thread)});
        if (!t)
            return NULL;
        t->ref = (*env)->NewGlobalRef(env, thread);
    }
    if (is_self) {
        t->tid = gettid();
        t->jni_env = env;
    } else if (!t->tid && t->java_thread) { /* the thread is not virtual */
        t->tid = vmself_tid(t->java_thread);
        t->jni_env = env_of(t->java_thread);
    }
    return t;
}

struct vm_thread *vm_threads_enter_own(jthread thread)
{
    return add(&threads.own, thread, &(struct vm_thread){.is_own = true, .tid = gettid()});
}

void vm_threads_leave(JNIEnv *env, jthread thread, struct vm_thread *t, uint32_t mark)
{
    jvmtiEnv *jvmti = threads.vm->main;
    (*jvmti)->SetThreadLocalStorage(jvmti, thread, mark_of(mark));
    forget(env, t);
}

struct vm_thread *vm_threads_next(const struct vm_thread *t)
{
    return t ? t->next : threads.live;
}

void vm_threads_open(const struct vm *vm, JNIEnv *env)
{
    threads.vm = vm;
    learn(env);
}

static void forget_all(JNIEnv *env, struct vm_thread *first)
{
    for (struct vm_thread *t = first, *next; t; t = next) {
        next = t->next;
        forget(env, t);
    }
}

void vm_threads_close(JNIEnv *env)
{
    forget_all(env, threads.live);
    forget_all(env, threads.own);
}

/* ---- threads of the library */

/* Remove what a thread inherits from the thread that made it. The maker may belong to an
 * application that is removed from its server while the new thread goes on. The thread inherits the
 * maker's class loader, directly and in the protection domains of the maker's frames, and the
 * maker's inheritable thread-locals. A JDK may lack any of the fields.
 * Source: OpenJDK 8 to 28, java/lang/Thread.java. */
static void forget_maker(JNIEnv *env, jobject thread)
{
    static const struct {
        const char *name, *type;
    } inherited[] = {
        {"contextClassLoader", "Ljava/lang/ClassLoader;"},
        {"inheritedAccessControlContext", "Ljava/security/AccessControlContext;"},
        {"inheritableThreadLocals", "Ljava/lang/ThreadLocal$ThreadLocalMap;"},
    };
    for (size_t i = 0; i < sizeof(inherited) / sizeof(inherited[0]); i++) {
        struct vm_lookup l = vm_lookup_begin(env);
        jfieldID field = vm_lookup_field(&l, vm_lookup_class(&l, "java/lang/Thread"),
                                         inherited[i].name, inherited[i].type);
        if (vm_lookup_end(&l))
            (*env)->SetObjectField(env, thread, field, NULL);
    }
}

int vm_threads_start(const struct vm *vm, JNIEnv *env, const char *name,
                     jvmtiStartFunction function, void *argument, jint priority,
                     jobject *ret_thread)
{
    jvmtiEnv *jvmti = vm->main;
    struct vm_lookup l = vm_lookup_begin(env);
    jclass klass = vm_lookup_class(&l, "java/lang/Thread");
    jmethodID make =
        vm_lookup_method(&l, klass, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V");
    jthreadGroup *groups = NULL;
    jint count = 0;
    jobject thread = NULL;
    int result = -1;
    (*jvmti)->GetTopThreadGroups(jvmti, &count, &groups);
    if (count > 0)
        thread = vm_lookup_new(&l, klass, make, groups[0], vm_lookup_string(&l, name));
    if (vm_lookup_end_with(&l, thread, &thread)) {
        forget_maker(env, thread);
        if ((*jvmti)->RunAgentThread(jvmti, thread, function, argument, priority) ==
            JVMTI_ERROR_NONE)
            result = 0;
        vm_lookup_clear(env);
        if (result == 0)
            *ret_thread = thread;
        else
            (*env)->DeleteGlobalRef(env, thread);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)groups);
    return result;
}
