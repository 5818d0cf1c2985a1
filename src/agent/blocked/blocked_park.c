/*
 * blocked_park.c - see blocked.h.
 *
 * park(blocker) gets its blocker as an argument. For park() the caller may have stored a blocker in
 * the thread with setCurrentBlocker(). The time from the entry of the method to its return counts
 * as the park, because LockSupport does little else: a few stores. In this respect LockSupport is
 * the same on JDK 8 to 28, except for one method that calls another one with the same name (see
 * only_calls_another()).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/blocked/blocked.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "base/lock.h"
#include "safe/clock.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_lookup.h"

#define LOCK_SUPPORT "java/util/concurrent/locks/LockSupport"
#define TRACKER OWN_CLASS("Park")

enum { CLOSE_MS = 2000, USERS_MAX = 4 };

static struct {
    jfieldID blocker; /* java.lang.Thread.parkBlocker */
    int user_count;
    /* The users that are told about parks. A user that leaves waits at its gate until no thread is
     * inside. */
    struct blocked_user *_Atomic users[USERS_MAX];
} park;

/* ---- called in the methods of LockSupport; `limit` is the value that select_method() returned */

static struct blocked a_park(jint limit, jobject blocker, jlong value)
{
    return (struct blocked){.by = BLOCKED_PARK,
                            .object = blocker,
                            .skip = 1, /* the frame of the tracker */
                            .limit = (enum blocked_limit)limit,
                            .limit_value = value};
}

/* The user at place `i`; NULL if there is none or it leaves. The caller may use it until
 * gate_leave(). */
static const struct blocked_user *enter_user(int i, _Atomic uint32_t **ret_inside)
{
    struct blocked_user *u = atomic_load_explicit(&park.users[i], memory_order_acquire);
    *ret_inside = u ? gate_enter(&u->parking) : NULL;
    return *ret_inside ? u : NULL;
}

/* Returns the time at which the park begins; 0: no user wants to know its end. */
static jlong JNICALL enter(JNIEnv *env, jclass klass, jint limit, jobject blocker, jlong value)
{
    struct blocked b = a_park(limit, blocker, value);
    bool is_wanted = false;
    for (int i = 0; i < USERS_MAX; i++) {
        _Atomic uint32_t *inside;
        const struct blocked_user *u = enter_user(i, &inside);
        if (!u)
            continue;
        is_wanted = true;
        if (u->parks) {
            b.start_ns = clock_monotonic_ns();
            u->parks(env, &b);
        }
        gate_leave(inside);
    }
    return is_wanted ? (jlong)clock_monotonic_ns() : 0;
}

static void JNICALL leave(JNIEnv *env, jclass klass, jlong start_ns, jint limit, jobject blocker,
                          jlong value)
{
    struct blocked b = a_park(limit, blocker, value);
    if (!start_ns)
        return;
    b.start_ns = (uint64_t)start_ns;
    b.end_ns = clock_monotonic_ns();
    for (int i = 0; i < USERS_MAX; i++) {
        _Atomic uint32_t *inside;
        const struct blocked_user *u = enter_user(i, &inside);
        if (!u)
            continue;
        u->ends(env, &b);
        gate_leave(inside);
    }
}

jobject blocked_park_object(JNIEnv *env, const struct blocked *b)
{
    jvmtiEnv *jvmti = injector_env();
    jobject self = NULL, blocker = NULL;
    if (b->object)
        return b->object;
    if ((*jvmti)->GetCurrentThread(jvmti, &self) == JVMTI_ERROR_NONE && self)
        blocker = (*env)->GetObjectField(env, self, park.blocker);
    (*env)->DeleteLocalRef(env, self);
    return blocker;
}

/* ---- the tracker class, and the injected calls */

static const JNINativeMethod natives[] = {
    {(char *)"enter", (char *)"(ILjava/lang/Object;J)J", (void *)enter},
    {(char *)"leave", (char *)"(JILjava/lang/Object;J)V", (void *)leave},
    {(char *)"caught", (char *)"(J)V", (void *)tracker_caught_nothing},
};

enum { NATIVES = sizeof(natives) / sizeof(natives[0]) };

static struct tracker tracker = {TRACKER, natives, NATIVES, NULL, false};

/* From JDK 25 on parkUntil(Object, long) calls parkUntil(long), and only the latter parks. */
static bool only_calls_another(const struct instrument_method *m)
{
    return cpool_utf8_starts(m->desc, "(Ljava/lang/Object;") &&
           cpool_names_method(m->pool, m->class_name, m->name);
}

static int32_t select_method(void *context, const struct instrument_method *m)
{
    if (only_calls_another(m))
        return -1;
    if (cpool_utf8_is(m->name, "park"))
        return BLOCKED_FOR_EVER;
    if (cpool_utf8_is(m->name, "parkNanos"))
        return BLOCKED_FOR_NS;
    return cpool_utf8_is(m->name, "parkUntil") ? BLOCKED_UNTIL_MS : -1;
}

static bool is_lock_support(const char *class_name)
{
    return strcmp(class_name, LOCK_SUPPORT) == 0;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .enter = "enter",
    .exit = "leave",
    .kept = 'J',
    .enter_keep = "enter",
    .exit_keep = "leave",
    .caught = "caught",
    .keep = INSTRUMENT_KEEP_ALL,
    .has_arguments = true,
    .select = select_method,
};

static struct injector_user injected; /* below */

static void say_unchangeable(void)
{
    for (int i = 0; i < USERS_MAX; i++) {
        const struct blocked_user *u = atomic_load(&park.users[i]);
        if (u)
            log_error("%s: this VM does not let " LOCK_SUPPORT " be changed: parks are not counted",
                      u->parks_asked_by);
    }
}

/* All loaded classes have been changed; LockSupport should be one of them. */
static void note_all_done(JNIEnv *env)
{
    if (atomic_load(&injected.injected) == 0)
        say_unchangeable();
}

static struct injector_user injected = {
    .probe = &probe,
    .layer = INJECTOR_EVENTS,
    .wants_loaded_only = true, /* find_classes() has loaded LockSupport */
    .wants = is_lock_support,
    .end = note_all_done,
};

/* Finds the field parkBlocker, and has LockSupport loaded, so that no hook is needed for classes
 * that are loaded later. */
static int find_classes(JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    park.blocker = vm_lookup_field(&l, vm_lookup_class(&l, "java/lang/Thread"), "parkBlocker",
                                   "Ljava/lang/Object;");
    vm_lookup_class(&l, LOCK_SUPPORT);
    return vm_lookup_end(&l) ? 0 : -1;
}

/* Begin and end need no lock of their own, because engines come and go under the lock of life. */
void blocked_park_begin(struct agent *a, JNIEnv *env, struct blocked_user *u)
{
    int at = 0;
    while (at < USERS_MAX && park.users[at])
        at++;
    if (at == USERS_MAX)
        return;
    gate_open(&u->parking);
    u->is_parking = true;
    atomic_store_explicit(&park.users[at], u, memory_order_release);
    if (park.user_count++ == 0 &&
        (find_classes(env) != 0 || tracker_define_natives(&a->vm, env, &tracker) != 0 ||
         injector_add(&injected) != 0))
        say_unchangeable();
}

void blocked_park_end(struct blocked_user *u)
{
    if (!u->is_parking)
        return;
    u->is_parking = false;
    for (int i = 0; i < USERS_MAX; i++)
        if (park.users[i] == u)
            atomic_store(&park.users[i], NULL);
    if (--park.user_count > 0)
        return;
    injector_remove(&injected);
}

int blocked_park_settle(struct blocked_user *u)
{
    return gate_close(&u->parking, CLOSE_MS) ? 0 : -EBUSY;
}
