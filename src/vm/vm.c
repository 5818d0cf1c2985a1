/*
 * vm.c - see vm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm.h"
#include <stdbool.h>
#include <unistd.h>
#include "base/err.h"
#include "base/own_tls.h"
#include "vm/vmself.h"

enum {
    START_S = 10, /* the phase in which a VM has no environments takes less, but on a host at its
                     limits */
    POLL_US = 1000,
};

/*
 * A VM gives environments of JVM TI when it loads agents and when it is live, but not while it
 * starts. Between the two it already obeys a tool that loads an agent: then this function waits.
 * Source: HotSpot jvmtiExport.cpp, JvmtiExport::get_jvmti_interface().
 */
static jint open_env(JavaVM *java, void **ret_env)
{
    jint r = (*java)->GetEnv(java, ret_env, JVMTI_VERSION_1_2);
    for (int i = 0; r == JNI_EDETACHED && i < START_S * (1000000 / POLL_US); i++) {
        usleep(POLL_US);
        r = (*java)->GetEnv(java, ret_env, JVMTI_VERSION_1_2);
    }
    return r;
}

int vm_open(struct vm *vm, JavaVM *java)
{
    void *env = NULL;
    if (!own_tls_is_static())
        return E_LIMIT;
    if (open_env(java, &env) != JNI_OK)
        return E_UNSUPPORTED;
    vm->java = java;
    vm->main = env;
    vm->release = vmself_release(vm->main);
    return 0;
}

/*
 * Keep an environment open for good, with no capability and no event. Returns false if the VM gives
 * none.
 *
 * HotSpot has a state of JVM TI for each thread that an environment had to do with. A thread that
 * ends deletes its state, but not while the VM has no environment at all: then the state stays in
 * the VM's list, with the address of a JavaThread that is freed. The next environment, ours or that
 * of another agent, makes the VM go through the list, and the VM writes to that address. So once
 * there was an environment, there must always be one. JDK 8 to 28 are all so.
 * Source: HotSpot javaThread.cpp, JavaThread::exit(); jvmtiEnvBase.hpp, environments_might_exist();
 * jvmtiEventController.cpp, recompute_enabled().
 */
static bool keep_one(JavaVM *java)
{
    static void *kept;
    return kept || (*java)->GetEnv(java, &kept, JVMTI_VERSION_1_2) == JNI_OK;
}

void vm_close(struct vm *vm)
{
    if (vm->main && keep_one(vm->java))
        (*vm->main)->DisposeEnvironment(vm->main);
    vm->main = NULL;
}

JNIEnv *vm_jni(const struct vm *vm)
{
    void *env = NULL;
    return (*vm->java)->GetEnv(vm->java, &env, JNI_VERSION_1_6) == JNI_OK ? env : NULL;
}
