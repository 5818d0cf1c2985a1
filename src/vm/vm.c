/*
 * vm.c - see vm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm.h"
#include "base/err.h"
#include "base/own_tls.h"
#include "vm/vmself.h"

int vm_open(struct vm *vm, JavaVM *java)
{
    void *env = NULL;
    if (!own_tls_is_static())
        return E_LIMIT;
    if ((*java)->GetEnv(java, &env, JVMTI_VERSION_1_2) != JNI_OK)
        return E_UNSUPPORTED;
    vm->java = java;
    vm->main = env;
    vm->release = vmself_release(vm->main);
    return 0;
}

void vm_close(struct vm *vm)
{
    if (vm->main)
        (*vm->main)->DisposeEnvironment(vm->main);
    vm->main = NULL;
}

JNIEnv *vm_jni(const struct vm *vm)
{
    void *env = NULL;
    return (*vm->java)->GetEnv(vm->java, &env, JNI_VERSION_1_6) == JNI_OK ? env : NULL;
}
