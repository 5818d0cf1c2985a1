/*
 * thrown.c - see thrown.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/thrown/thrown.h"
#include <stdatomic.h>
#include <string.h>
#include "agent/agent.h"
#include "base/err.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_event.h"

#define THROWABLE "java/lang/Throwable"
#define TRACKER OWN_CLASS("Exception")

enum { USERS_MAX = 4, CLOSE_MS = 2000 };

static struct {
    int made_count, throws_count;
    struct thrown_user *_Atomic users[USERS_MAX];
} thrown;

static void tell(JNIEnv *env, jobject object, bool is_of_throws, int skip)
{
    for (int i = 0; i < USERS_MAX; i++) {
        struct thrown_user *u = atomic_load_explicit(&thrown.users[i], memory_order_acquire);
        _Atomic uint32_t *inside =
            u && u->is_of_throws == is_of_throws ? gate_enter(u->gate) : NULL;
        if (!inside)
            continue;
        u->see(env, object, skip);
        gate_leave(inside);
    }
}

/* ---- what is made */

static void JNICALL constructed(JNIEnv *env, jclass klass, jobject object)
{
    if (object)
        tell(env, object, false, 1);
}

static const JNINativeMethod natives[] = {
    {(char *)"constructed", (char *)"(Ljava/lang/Object;)V", (void *)constructed},
};

static struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                 false};

static int32_t select_all(void *context, const struct instrument_method *m)
{
    return 0;
}

static bool is_throwable(const char *class_name)
{
    return strcmp(class_name, THROWABLE) == 0;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .constructed = "constructed",
    .select = select_all,
};

static struct injector_user injected = {
    .probe = &probe,
    .layer = INJECTOR_EVENTS,
    .wants_loaded_only = true,
    .wants = is_throwable,
};

static int begin_injecting(struct agent *a, JNIEnv *env)
{
    if (tracker_define_natives(&a->vm, env, &tracker) != 0)
        return E_UNSUPPORTED;
    return injector_add(&injected);
}

/* ---- each throw */

static void on_exception(void *data, JNIEnv *env, jthread thread, jmethodID method,
                         jlocation location, jobject exception, jmethodID catcher,
                         jlocation catch_location)
{
    tell(env, exception, true, 0);
}

static struct vm_event_subscriber heard = {.event = VM_EVENT_EXCEPTION,
                                           .on.exception = on_exception};

/* ---- users */

int thrown_add(struct agent *a, JNIEnv *env, struct thrown_user *u)
{
    int *count = u->is_of_throws ? &thrown.throws_count : &thrown.made_count;
    int at = 0, error = 0;
    while (at < USERS_MAX && thrown.users[at] && thrown.users[at] != u)
        at++;
    if (at == USERS_MAX)
        return E_LIMIT;
    if (thrown.users[at] == u)
        return 0;
    if (*count == 0)
        error = u->is_of_throws ? vm_event_add(&heard, NULL) : begin_injecting(a, env);
    if (error)
        return error;
    (*count)++;
    gate_open(u->gate);
    atomic_store_explicit(&thrown.users[at], u, memory_order_release);
    return 0;
}

void thrown_remove(struct thrown_user *u)
{
    for (int i = 0; i < USERS_MAX; i++) {
        if (thrown.users[i] != u)
            continue;
        atomic_store(&thrown.users[i], NULL);
        if (u->is_of_throws && --thrown.throws_count == 0)
            vm_event_remove(&heard);
        else if (!u->is_of_throws && --thrown.made_count == 0)
            injector_remove(&injected);
    }
}

bool thrown_settle(struct thrown_user *u)
{
    return gate_close(u->gate, CLOSE_MS);
}
