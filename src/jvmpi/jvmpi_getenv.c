/*
 * jvmpi_getenv.c - see jvmpi_getenv.h.
 *
 * The VM's JavaVM is a word in writable memory that points to a constant table of functions. All
 * threads and libraries use this one JavaVM. The word gets the address of a copy of the table, with
 * our GetEnv in it. Source: HotSpot jni.cpp, main_vm and jni_InvokeInterface.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_getenv.h"
#include "jvmpi/jvmpi_agents.h"
#include "jvmpi/jvmpi_say.h"
#include "jvmpi/jvmpi_send.h"

enum { WORD_MASK = 0xfffffff0 };

static struct JNIInvokeInterface_ ours;
static jint(JNICALL *vms_get_env)(JavaVM *java, void **env, jint version);

static jint JNICALL get_env(JavaVM *java, void **env, jint version)
{
    if (((jint)WORD_MASK & version) != ((jint)WORD_MASK & JVMPI_VERSION_1))
        return vms_get_env(java, env, version);
    if (!env)
        return JNI_EINVAL;
    *env = NULL;
    if (version < JVMPI_VERSION_1 || version > JVMPI_VERSION_1_2)
        return JNI_EVERSION;
    *env = jvmpi_agents_table(__builtin_return_address(0));
    if (*env)
        return JNI_OK;
    jvmpi_say("there are %d JVMPI agents in this JVM: no room for another", JVMPI_AGENT_SET_MAX);
    return JNI_ERR;
}

void jvmpi_getenv_open(JavaVM *java)
{
    const struct JNIInvokeInterface_ **functions = (const struct JNIInvokeInterface_ **)java;
    if (vms_get_env)
        return;
    ours = **functions;
    vms_get_env = ours.GetEnv;
    ours.GetEnv = get_env;
    *functions = &ours;
}
