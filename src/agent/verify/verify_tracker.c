/*
 * verify_tracker.c - see verify_tracker.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_tracker.h"
#include "agent/agent.h"
#include "agent/verify/verify_entry.h"
#include "agent/verify/verify_shadow.h"
#include "vm/tracker.h"

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

static struct tracker tracker = {VERIFY_TRACKER, natives, NATIVES, NULL, false};

int verify_tracker_define(struct agent *a, JNIEnv *env)
{
    return tracker_define_natives(&a->vm, env, &tracker) == 0 ? 0 : -1;
}
