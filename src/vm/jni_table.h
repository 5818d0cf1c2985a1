/*
 * jni_table.h - functions of ours before functions of JNI, for all threads, as long as they are
 * wanted.
 *
 * Each user has rows of its own and keeps the functions that were there before, which its own call.
 * Users may come and go in any order as long as their functions are others.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stddef.h>

/** One function: JNI_TABLE_ROW(NewString, new_string). */
struct jni_table_row {
    size_t at; /* in a jniNativeInterface */
    void *ours;
};
#define JNI_TABLE_ROW(name, function)                                                              \
    {                                                                                              \
        offsetof(jniNativeInterface, name), (void *)(function)                                     \
    }

/**
 * Put ours in. *vms, NULL at first, becomes the table of before: it is kept for ever, and used at
 * each start, for a thread may be in a function of ours. Errors: 0; E_UNSUPPORTED the VM refuses.
 * Context: any thread, while the VM lives.
 */
int jni_table_put(jvmtiEnv *jvmti, const struct jni_table_row *rows, size_t count,
                  jniNativeInterface **vms);
/** Take out those of ours that are still there. Context: as above. */
void jni_table_take(jvmtiEnv *jvmti, const struct jni_table_row *rows, size_t count,
                    const jniNativeInterface *vms);
