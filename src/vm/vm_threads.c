/*
 * vm_threads.c - see vm_threads.h.
 * Source: HotSpot javaClasses.cpp, java_lang_Thread::eetop; JavaThread::_jni_environment.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_threads.h"
#include "vm/vm.h"
#include "vm/vm_lookup.h"

enum { JAVA_THREAD_BYTES_MAX = 65536 };

static struct {
    jfieldID eetop;      /* java.lang.Thread.eetop, the address; NULL not known */
    intptr_t env_offset; /* 0 not known */
} threads;

void vm_threads_learn(const struct vm *vm, JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jthread self = NULL;

    threads.env_offset = 0;
    threads.eetop = vm_lookup_field(&l, vm_lookup_class(&l, "java/lang/Thread"), "eetop", "J");
    if ((*vm->main)->GetCurrentThread(vm->main, &self) == JVMTI_ERROR_NONE && self) {
        uint64_t address = vm_threads_address(env, self);
        /* The JNIEnv is a member of the JavaThread: its place is the same in every thread. */
        intptr_t offset = (intptr_t)env - (intptr_t)address;

        if (address && offset > 0 && offset < JAVA_THREAD_BYTES_MAX)
            threads.env_offset = offset;
    }
    vm_lookup_end(&l);
}

uint64_t vm_threads_address(JNIEnv *env, jthread thread)
{
    return threads.eetop ? (uint64_t)(*env)->GetLongField(env, thread, threads.eetop) : 0;
}

intptr_t vm_threads_env_offset(void)
{
    return threads.env_offset;
}

void *vm_threads_env(uint64_t address)
{
    return address && threads.env_offset
               ? (void *)(uintptr_t)(address + (uint64_t)threads.env_offset)
               : NULL;
}
