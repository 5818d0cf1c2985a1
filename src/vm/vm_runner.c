/*
 * vm_runner.c - see vm_runner.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_runner.h"
#include "vm/vm.h"
#include "vm/vm_lookup.h"

/*
 * Remove what a thread inherits from the thread that made it. The maker may belong to an
 * application that is removed from its server while the new thread goes on. The thread inherits the
 * maker's class loader, directly and in the protection domains of the maker's frames, and the
 * maker's inheritable thread-locals. A JDK may lack any of the fields.
 * Source: OpenJDK 8 to 28, java/lang/Thread.java.
 */
static void forget_maker(JNIEnv *env, jobject thread)
{
    static const struct {
        const char *name, *type;
    } inherited[] = {
        {"contextClassLoader", "Ljava/lang/ClassLoader;"},
        {"inheritedAccessControlContext", "Ljava/security/AccessControlContext;"},
        {"inheritableThreadLocals", "Ljava/lang/ThreadLocal$ThreadLocalMap;"},
    };
    for (size_t i = 0; i < sizeof(inherited) / sizeof(inherited[0]); i++) {
        struct vm_lookup l = vm_lookup_begin(env);
        jfieldID field = vm_lookup_field(&l, vm_lookup_class(&l, "java/lang/Thread"),
                                         inherited[i].name, inherited[i].type);
        if (vm_lookup_end(&l))
            (*env)->SetObjectField(env, thread, field, NULL);
    }
}

int vm_runner_start(const struct vm *vm, JNIEnv *env, const char *name, jvmtiStartFunction function,
                    void *argument, jint priority, jobject *ret_thread)
{
    jvmtiEnv *jvmti = vm->main;
    struct vm_lookup l = vm_lookup_begin(env);
    jclass klass = vm_lookup_class(&l, "java/lang/Thread");
    jmethodID make =
        vm_lookup_method(&l, klass, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V");
    jthreadGroup *groups = NULL;
    jint count = 0;
    jobject thread = NULL;
    int result = -1;
    (*jvmti)->GetTopThreadGroups(jvmti, &count, &groups);
    if (count > 0)
        thread = vm_lookup_new(&l, klass, make, groups[0], vm_lookup_string(&l, name));
    if (vm_lookup_end_with(&l, thread, &thread)) {
        forget_maker(env, thread);
        if ((*jvmti)->RunAgentThread(jvmti, thread, function, argument, priority) ==
            JVMTI_ERROR_NONE)
            result = 0;
        vm_lookup_clear(env);
        if (result == 0)
            *ret_thread = thread;
        else
            (*env)->DeleteGlobalRef(env, thread);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)groups);
    return result;
}
