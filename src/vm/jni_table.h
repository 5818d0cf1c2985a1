/*
 * jni_table.h - replace functions of JNI by functions of ours, for all threads.
 *
 * Each user has rows of its own. It keeps the functions that were there before, and its own
 * functions call them. Users may come and go in any order as long as they replace different
 * functions.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stddef.h>

/** One function to replace, for example JNI_TABLE_ROW(NewString, new_string). */
struct jni_table_row {
    size_t at; /* offset in a jniNativeInterface */
    void *ours;
};
#define JNI_TABLE_ROW(name, function)                                                              \
    {                                                                                              \
        offsetof(jniNativeInterface, name), (void *)(function)                                     \
    }

/**
 * Put our functions into the table. *vms is NULL at the first call and becomes a copy of the old
 * table. This copy is kept for ever and used by each later call, because a thread may be in a
 * function of ours.
 * Errors:  0; E_UNSUPPORTED: the VM refuses.
 * Context: any thread, while the VM lives.
 */
int jni_table_put(jvmtiEnv *jvmti, const struct jni_table_row *rows, size_t count,
                  jniNativeInterface **vms);
/** Put the old functions back in the place of those of ours that are still in the table. Context:
 * any thread, while the VM lives. */
void jni_table_take(jvmtiEnv *jvmti, const struct jni_table_row *rows, size_t count,
                    const jniNativeInterface *vms);
