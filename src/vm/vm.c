/*
 * vm.c - see vm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm.h"
#include "base/err.h"
#include "vm/vm_env.h"
#include "vm/vmself.h"

int vm_open(struct vm *vm, JavaVM *java)
{
    vm->java = java;
    vm->release = 0;
    vm->main = NULL;
    if (vm_env_open(vm, 0, &vm->main, NULL) != 0)
        return E_UNSUPPORTED;
    vm->release = vmself_release(vm->main);
    return 0;
}

void vm_close(struct vm *vm)
{
    vm_env_close(vm->main);
    vm->main = NULL;
}

JNIEnv *vm_jni(const struct vm *vm)
{
    void *env = NULL;

    return (*vm->java)->GetEnv(vm->java, &env, JNI_VERSION_1_6) == JNI_OK ? env : NULL;
}
