/*
 * jni_table.c - see jni_table.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/jni_table.h"
#include "base/err.h"

static void **slot_of(jniNativeInterface *table, const struct jni_table_row *row)
{
    return (void **)((char *)table + row->at);
}

static void *function_of(const jniNativeInterface *table, const struct jni_table_row *row)
{
    return *(void *const *)((const char *)table + row->at);
}

int jni_table_put(jvmtiEnv *jvmti, const struct jni_table_row *rows, size_t count,
                  jniNativeInterface **vms)
{
    jniNativeInterface *table = NULL;
    int error = E_UNSUPPORTED;
    if ((!*vms && (*jvmti)->GetJNIFunctionTable(jvmti, vms) != JVMTI_ERROR_NONE) ||
        (*jvmti)->GetJNIFunctionTable(jvmti, &table) != JVMTI_ERROR_NONE)
        return error;
    for (size_t i = 0; i < count; i++)
        *slot_of(table, &rows[i]) = rows[i].ours;
    if ((*jvmti)->SetJNIFunctionTable(jvmti, table) == JVMTI_ERROR_NONE)
        error = 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
    return error;
}

void jni_table_take(jvmtiEnv *jvmti, const struct jni_table_row *rows, size_t count,
                    const jniNativeInterface *vms)
{
    jniNativeInterface *table = NULL;
    if (!vms || (*jvmti)->GetJNIFunctionTable(jvmti, &table) != JVMTI_ERROR_NONE)
        return;
    for (size_t i = 0; i < count; i++)
        if (function_of(table, &rows[i]) == rows[i].ours)
            *slot_of(table, &rows[i]) = function_of(vms, &rows[i]);
    (*jvmti)->SetJNIFunctionTable(jvmti, table);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
}
