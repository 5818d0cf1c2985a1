/*
 * jvmpi_steady.c - see jvmpi_steady.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_steady.h"
#include <stdatomic.h>
#include <unistd.h>
#include "base/lock.h"
#include "jvmpi/jvmpi_thread.h"

enum {
    POLL_US = 50,
    POLLS = 20000, /* a second in all */
};

static struct lock locks[JVMPI_STEADY_LOCKS] = {
    [JVMPI_STEADY_SWITCHES] = LOCK_INIT(JVMPI_SWITCHES),
    [JVMPI_STEADY_TAGS] = LOCK_INIT(JVMPI_TAGS),
};

/* Whether the calling thread is to stop at its next call of the VM. */
static bool is_suspended(JNIEnv *env)
{
    const struct jvmpi_thread *t = env ? jvmpi_thread_find(env) : NULL;
    return t && atomic_load(&t->is_suspended);
}

/* Call the VM: in this call a suspended thread stops until it is resumed. */
static void stop(JNIEnv *env)
{
    (*env)->ExceptionCheck(env);
    usleep(POLL_US);
}

void jvmpi_steady_take(JNIEnv *env, enum jvmpi_steady which)
{
    lock_take(&locks[which]);
    while (is_suspended(env)) {
        lock_give(&locks[which]);
        stop(env);
        lock_take(&locks[which]);
    }
}

void jvmpi_steady_give(enum jvmpi_steady which)
{
    lock_give(&locks[which]);
}

/* Take all locks, or none. */
static bool try_all(void)
{
    for (int i = 0; i < JVMPI_STEADY_LOCKS; i++) {
        if (lock_try(&locks[i]))
            continue;
        while (--i >= 0)
            lock_give(&locks[i]);
        return false;
    }
    return true;
}

bool jvmpi_steady_take_all(JNIEnv *env)
{
    for (int i = 0; i < POLLS; i++) {
        if (try_all()) {
            if (!is_suspended(env))
                return true;
            jvmpi_steady_give_all();
        }
        stop(env);
    }
    return false;
}

void jvmpi_steady_give_all(void)
{
    for (int i = JVMPI_STEADY_LOCKS - 1; i >= 0; i--)
        lock_give(&locks[i]);
}
