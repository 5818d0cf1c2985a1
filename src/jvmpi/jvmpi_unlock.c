/*
 * jvmpi_unlock.c - see jvmpi_unlock.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_unlock.h"
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_unweave.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"

#define TRACKER OWN_CLASS("Unlock")

static jvmpi_unlock_seen *_Atomic heard; /* NULL: monitors are not reported */

static void JNICALL unlock(JNIEnv *env, jclass self, jobject object)
{
    jvmpi_unlock_seen *seen = atomic_load_explicit(&heard, memory_order_acquire);
    if (seen && object)
        seen(env, object);
}

static const JNINativeMethod natives[] = {
    {(char *)"unlock", (char *)"(Ljava/lang/Object;)V", (void *)unlock},
};
static struct tracker tracker = {TRACKER, natives, sizeof(natives) / sizeof(natives[0]), NULL,
                                 false};

static int32_t select_method(void *context, const struct instrument_method *m)
{
    return m->advice == INSTRUMENT_INJECTED ? 0 : -1;
}

static const struct instrument_probe probe = {
    .tracker = TRACKER,
    .unlock = "unlock",
    .keep = INSTRUMENT_KEEP_NONE,
    .select = select_method,
};
static struct injector_user user = {.probe = &probe, .layer = INJECTOR_EVENTS};

int jvmpi_unlock_on(JNIEnv *env, jvmpi_unlock_seen *seen)
{
    if (injector_open(&jvmpi_bridge.vm) != 0 ||
        tracker_define_natives(&jvmpi_bridge.vm, env, &tracker) != 0)
        return E_UNSUPPORTED;
    atomic_store(&heard, seen);
    if (injector_add(&user) != 0)
        return E_UNSUPPORTED;
    injector_apply(env);
    return 0;
}

void jvmpi_unlock_off(void)
{
    atomic_store(&heard, NULL);
    jvmpi_unweave(&user);
}
