/*
 * verify_tracker.c - see verify_tracker.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_tracker.h"
#include "agent/agent.h"
#include <stdio.h>
#include "agent/methods.h"
#include "agent/verify/verify_entry.h"
#include "agent/verify/verify_shadow.h"
#include "base/pages.h"
#include "classfile/instrument.h"
#include "vm/tracker.h"

static uint64_t *hashes; /* by the number of the method */

int32_t verify_tracker_add(const struct instrument_method *m, uint64_t hash)
{
    int32_t number = methods_add(m);

    if (number >= 0)
        hashes[number] = hash;
    return number;
}

uint64_t verify_tracker_hash(uint32_t number)
{
    return hashes[number];
}

void verify_tracker_name(uint32_t number, char *ret, size_t size)
{
    struct methods_names n = methods_names(number);

    snprintf(ret, size, "%s.%s", n.class_name, n.name);
}

static jlong JNICALL enter(JNIEnv *env, jclass klass, jint number)
{
    int64_t token = verify_shadow_enter((uint32_t)number);

    verify_entry_compare(env);
    return token;
}

static void JNICALL exit_method(JNIEnv *env, jclass klass, jlong token)
{
    verify_shadow_exit(token);
}

static void JNICALL caught(JNIEnv *env, jclass klass, jlong token)
{
    verify_shadow_caught(token);
}

static const JNINativeMethod natives[] = {
    {(char *)VERIFY_TRACKER_ENTER, (char *)"(I)J", (void *)enter},
    {(char *)VERIFY_TRACKER_EXIT, (char *)"(J)V", (void *)exit_method},
    {(char *)VERIFY_TRACKER_CAUGHT, (char *)"(J)V", (void *)caught},
};

enum {
    NATIVES = sizeof(natives) / sizeof(natives[0]),
};

static const struct tracker tracker = {VERIFY_TRACKER, natives, NATIVES};

int verify_tracker_define(struct agent *a, JNIEnv *env)
{
    if (!hashes)
        hashes = pages_map(METHODS_MAX * sizeof(*hashes));
    if (methods_init() != 0 || !hashes)
        return -1;
    return tracker_define_natives(&a->vm, env, &tracker) == 0 ? 0 : -1;
}
