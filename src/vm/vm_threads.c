/*
 * vm_threads.c - see vm_threads.h.
 *
 * The VM's thread-local storage of a thread holds the address of the thread's record. After
 * vm_threads_leave() it holds the mark as an odd number. The storage is read and written by its own
 * thread only (thread = NULL): when HotSpot is asked for the storage of another thread, it follows
 * a pointer to that thread's JvmtiThreadState, which a thread that ends frees meanwhile, because no
 * lock is held there (jvmtiEnv.cpp, SetThreadLocalStorage; jvmtiExport.cpp, cleanup_thread). So a
 * record that another thread makes waits in thread_table.h, and other threads are looked up by
 * their numbers in Java, which a VM never gives twice, in a table that belongs to the lock.
 * Source: HotSpot javaClasses.cpp, java_lang_Thread::eetop; JavaThread::_jni_environment.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_threads.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "vm/thread_table.h"
#include "vm/vm.h"
#include "vm/vm_lookup.h"
#include "vm/vmself.h"

enum {
    JAVA_THREAD_BYTES_MAX = 65536,
    ALIGNMENT = alignof(max_align_t),
    CHAINS_MIN = 64,
    MARKS = 4096, /* so many threads that ended last are known by their marks */
};

static struct {
    const struct vm *vm;
    struct vm_thread *live, *own;
    struct vm_threads_row *rows;
    size_t bytes; /* size of a record with all rows; 0: there is no row */
    /* java.lang.Thread.eetop, the address of the JavaThread; NULL: not known */
    jfieldID eetop;
    jfieldID number;     /* java.lang.Thread.tid; NULL: not known, and all numbers are 0 */
    intptr_t env_offset; /* 0: not known */
    /* records by their number; a power of two of chains */
    struct vm_thread **chains;
    size_t chain_count, record_count;
    _Atomic uint32_t waiting; /* records in thread_table.h that their threads have not fetched */
} threads;

/* The marks of threads that ended, by their number. Numbers grow by one, so a place is used again
 * after MARKS further threads. */
static struct {
    int64_t number;
    uint32_t mark;
} marks[MARKS];

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
    l = vm_lookup_begin(env);
    threads.number = vm_lookup_field(&l, vm_lookup_class(&l, "java/lang/Thread"), "tid", "J");
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

/* ---- the calling thread's own storage */

static void *mark_of(uint32_t mark)
{
    return (void *)((uintptr_t)mark << 1 | 1);
}

static uintptr_t own_storage(void)
{
    jvmtiEnv *jvmti = threads.vm->main;
    void *data = NULL;
    (*jvmti)->GetThreadLocalStorage(jvmti, NULL, &data);
    return (uintptr_t)data;
}

/* Returns false if the VM has no memory for it. */
static bool set_own_storage(const void *data)
{
    jvmtiEnv *jvmti = threads.vm->main;
    return (*jvmti)->SetThreadLocalStorage(jvmti, NULL, data) == JVMTI_ERROR_NONE;
}

/* The record that another thread has made for the calling thread. A virtual thread has the JNIEnv
 * of its carrier, so the thread object must say that this JNIEnv is its own. */
static struct vm_thread *fetch(void)
{
    jvmtiEnv *jvmti = threads.vm->main;
    JNIEnv *env;
    jthread self = NULL;
    struct vm_thread *t = NULL;
    if (!atomic_load_explicit(&threads.waiting, memory_order_relaxed))
        return NULL;
    env = vm_jni(threads.vm);
    if (!env || (*jvmti)->GetCurrentThread(jvmti, &self) != JVMTI_ERROR_NONE || !self)
        return NULL;
    if (vm_threads_jni_env(env, self) == (void *)env)
        t = thread_table_find((uintptr_t)env);
    (*env)->DeleteLocalRef(env, self);
    if (t && t->is_waiting && set_own_storage(t)) {
        t->is_waiting = false;
        atomic_fetch_sub_explicit(&threads.waiting, 1, memory_order_relaxed);
    }
    return t;
}

struct vm_thread *vm_threads_here(void)
{
    uintptr_t storage = own_storage();
    return storage & 1 ? NULL : storage ? (struct vm_thread *)storage : fetch();
}

uint32_t vm_threads_mark_here(void)
{
    uintptr_t storage = own_storage();
    return storage & 1 ? (uint32_t)(storage >> 1) : 0;
}

/* ---- all records; the caller holds the lock */

static int64_t number_of(JNIEnv *env, jthread thread)
{
    return threads.number ? (*env)->GetLongField(env, thread, threads.number) : 0;
}

static struct vm_thread **chain_of(int64_t number)
{
    return &threads.chains[(size_t)number & (threads.chain_count - 1)];
}

/* A thread of our own is known by its number alone, which the VM does not give twice. */
static bool is_of(JNIEnv *env, const struct vm_thread *t, jthread thread, int64_t number)
{
    return t->number == number &&
           (t->ref ? (*env)->IsSameObject(env, t->ref, thread) : number != 0);
}

struct vm_thread *vm_threads_find(JNIEnv *env, jthread thread)
{
    int64_t number = number_of(env, thread);
    struct vm_thread *t = threads.chains ? *chain_of(number) : NULL;
    while (t && !is_of(env, t, thread, number))
        t = t->same_chain;
    return t;
}

static uint32_t mark_of_number(int64_t number)
{
    size_t at = (size_t)number % MARKS;
    return number && marks[at].number == number ? marks[at].mark : 0;
}

uint32_t vm_threads_mark(JNIEnv *env, jthread thread)
{
    jvmtiEnv *jvmti = threads.vm->main;
    uint32_t mark = mark_of_number(number_of(env, thread));
    jthread self = NULL;
    if (!mark && (*jvmti)->GetCurrentThread(jvmti, &self) == JVMTI_ERROR_NONE && self) {
        if ((*env)->IsSameObject(env, self, thread))
            mark = vm_threads_mark_here();
        (*env)->DeleteLocalRef(env, self);
    }
    return mark;
}

static void put_first(struct vm_thread **list, struct vm_thread *t)
{
    t->next = *list;
    t->link = list;
    if (t->next)
        t->next->link = &t->next;
    *list = t;
}

/* Make room for one more record. Returns false if there is no memory for the first chains; with
 * too few chains they are only long. */
static bool make_chains(void)
{
    size_t count = threads.chain_count ? 2 * threads.chain_count : CHAINS_MIN;
    struct vm_thread **old = threads.chains, **chains;
    size_t old_count = threads.chain_count;
    if (threads.record_count < old_count)
        return true;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the rows are pointers */
    chains = calloc(count, sizeof(*chains));
    if (!chains)
        return old != NULL;
    threads.chains = chains;
    threads.chain_count = count;
    for (size_t i = 0; i < old_count; i++) {
        for (struct vm_thread *t = old[i], *next; t; t = next) {
            next = t->same_chain;
            t->same_chain = *chain_of(t->number);
            *chain_of(t->number) = t;
        }
    }
    free(old);
    return true;
}

static void leave_chain(const struct vm_thread *t)
{
    struct vm_thread **link = chain_of(t->number);
    while (*link != t)
        link = &(*link)->same_chain;
    *link = t->same_chain;
    threads.record_count--;
}

/* Make a record like `pattern`, filled by the rows. Only this thread can find it. NULL: no memory.
 */
static struct vm_thread *make(const struct vm_thread *pattern)
{
    struct vm_thread *t = make_chains() ? calloc(1, record_bytes()) : NULL;
    if (!t)
        return NULL;
    *t = *pattern;
    for (const struct vm_threads_row *row = threads.rows; row; row = row->next)
        if (row->fill)
            row->fill(t);
    return t;
}

static void add(struct vm_thread **list, struct vm_thread *t)
{
    t->same_chain = *chain_of(t->number);
    *chain_of(t->number) = t;
    threads.record_count++;
    put_first(list, t);
}

static void forget(JNIEnv *env, struct vm_thread *t)
{
    leave_chain(t);
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    if (t->ref)
        (*env)->DeleteGlobalRef(env, t->ref);
    free(t);
}

/* The VM clears `eetop` when the thread has ended. */
static bool is_alive(jthread thread, uint64_t java_thread)
{
    jvmtiEnv *jvmti = threads.vm->main;
    jint state = 0;
    if (threads.eetop)
        return java_thread != 0;
    return (*jvmti)->GetThreadState(jvmti, thread, &state) == JVMTI_ERROR_NONE &&
           (state & JVMTI_THREAD_STATE_ALIVE);
}

/* Give a new record to its thread, which calls (`is_self`) or will fetch it. Returns false if there
 * is no memory. */
static bool hand_over(struct vm_thread *t, bool is_self)
{
    if (is_self && set_own_storage(t))
        return true;
    if (!t->jni_env)
        return !is_self; /* a virtual thread, or nothing is known of the VM: it is only listed */
    t->is_waiting = true;
    atomic_fetch_add_explicit(&threads.waiting, 1, memory_order_relaxed);
    if (thread_table_put((uintptr_t)t->jni_env, t) == 0)
        return true;
    atomic_fetch_sub_explicit(&threads.waiting, 1, memory_order_relaxed);
    return false;
}

/* A virtual thread has neither number nor JNIEnv of its own. */
static void set_numbers(struct vm_thread *t, JNIEnv *env, bool is_self)
{
    bool is_virtual = threads.eetop && !t->java_thread;
    if (is_self && !is_virtual) {
        t->tid = gettid();
        t->jni_env = env;
    } else if (!t->tid && t->java_thread) {
        t->tid = vmself_tid(t->java_thread);
        t->jni_env = env_of(t->java_thread);
    }
}

/*
 * A record of another thread is not freed after it was handed over. If that thread ends just now,
 * it waits for the lock in vm_threads_leave(), or has been there, which its mark says.
 */
static struct vm_thread *enter_new(JNIEnv *env, jthread thread, bool is_self)
{
    uint64_t java_thread = vm_threads_address(env, thread);
    struct vm_thread *t;
    if (!is_self && !is_alive(thread, java_thread))
        return NULL;
    t = make(&(struct vm_thread){.java_thread = java_thread, .number = number_of(env, thread)});
    if (!t)
        return NULL;
    set_numbers(t, env, is_self);
    t->ref = (*env)->NewGlobalRef(env, thread);
    if (!t->ref || !hand_over(t, is_self)) {
        if (t->ref)
            (*env)->DeleteGlobalRef(env, t->ref);
        free(t);
        return NULL;
    }
    add(&threads.live, t);
    return t;
}

/* The record of the calling thread that another thread has made, if it was not found without the
 * lock. */
static struct vm_thread *find_own(JNIEnv *env, jthread thread)
{
    struct vm_thread *t = vm_threads_here();
    if (!t) {
        t = vm_threads_find(env, thread);
        if (t)
            (void)set_own_storage(t);
    }
    return t;
}

struct vm_thread *vm_threads_enter(JNIEnv *env, jthread thread, bool is_self, bool *ret_is_new)
{
    struct vm_thread *t;
    *ret_is_new = false;
    if (is_self ? vm_threads_mark_here() : vm_threads_mark(env, thread))
        return NULL;
    t = is_self ? find_own(env, thread) : vm_threads_find(env, thread);
    if (t) {
        if (!t->is_own)
            set_numbers(t, env, is_self);
        return t;
    }
    t = enter_new(env, thread, is_self);
    *ret_is_new = t != NULL;
    return t;
}

struct vm_thread *vm_threads_enter_own(JNIEnv *env, jthread thread)
{
    struct vm_thread *t = make(
        &(struct vm_thread){.is_own = true, .tid = gettid(), .number = number_of(env, thread)});
    if (t && !set_own_storage(t)) {
        free(t);
        return NULL;
    }
    if (t)
        add(&threads.own, t);
    return t;
}

void vm_threads_leave(JNIEnv *env, struct vm_thread *t, uint32_t mark)
{
    size_t at = (size_t)t->number % MARKS;
    (void)set_own_storage(mark_of(mark));
    if (t->java_thread && t->number) {
        marks[at].number = t->number;
        marks[at].mark = mark;
    }
    thread_table_drop((uintptr_t)t->jni_env, t);
    if (t->is_waiting)
        atomic_fetch_sub_explicit(&threads.waiting, 1, memory_order_relaxed);
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
    thread_table_clear();
    atomic_store(&threads.waiting, 0);
    free(threads.chains);
    threads.chains = NULL;
    threads.chain_count = 0;
    memset(marks, 0, sizeof(marks));
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
