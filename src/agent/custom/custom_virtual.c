/*
 * custom_virtual.c - see custom_virtual.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/custom/custom_virtual.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/names/threads.h"
#include "agent/scope/scope_virtual.h"

/* SLOTS is a power of two. At most three quarters of the slots are used, so a search always ends.
 */
enum { SLOTS = 8192, ROWS_MAX = SLOTS / 4 * 3 };

static struct {
    struct {
        jlong number; /* 0: free */
        thread_id thread;
    } slots[SLOTS];
    uint32_t count;
    thread_id others;
} rows;

jlong custom_virtual_read(struct agent *a, JNIEnv *env, char ret_name[CUSTOM_VIRTUAL_NAME])
{
    jvmtiEnv *jvmti = a->vm.main;
    jvmtiThreadInfo info = {.name = NULL};
    jlong number = scope_virtual_self(env);
    ret_name[0] = '\0';
    if (number <= 0)
        return 0;
    if ((*jvmti)->GetThreadInfo(jvmti, NULL, &info) != JVMTI_ERROR_NONE)
        return number;
    if (info.name)
        snprintf(ret_name, CUSTOM_VIRTUAL_NAME, "%s", info.name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    if (info.thread_group)
        (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader)
        (*env)->DeleteLocalRef(env, info.context_class_loader);
    return number;
}

static thread_id add(struct agent *a, jlong number, const char *name)
{
    thread_id id = profile_add_thread(a->profile, a->threads->next_serial++, agent_new_object(a),
                                      profile_cstring(a->profile, name), 0, 0);
    if (id)
        profile_thread_at(a->profile, id)->java_id = (uint64_t)number;
    return id;
}

thread_id custom_virtual_row(struct agent *a, jlong number, const char *name)
{
    uint32_t at = (uint32_t)number & (SLOTS - 1);
    while (rows.slots[at].number && rows.slots[at].number != number)
        at = (at + 1) & (SLOTS - 1);
    if (!rows.slots[at].number && rows.count == ROWS_MAX) {
        if (!rows.others)
            rows.others = add(a, 0, "(other virtual threads)");
        return rows.others;
    }
    if (!rows.slots[at].number) {
        rows.slots[at].thread = add(a, number, name);
        rows.slots[at].number = number;
        rows.count++;
    }
    return rows.slots[at].thread;
}

void custom_virtual_release(void)
{
    memset(&rows, 0, sizeof(rows));
}
