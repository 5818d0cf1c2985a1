/*
 * asgst_jni.c - the one question that the library asks the VM through JNI.
 *
 * Source: HotSpot jniHandles.hpp. Since JDK 21 global references have a tag, from which a collector
 * with coloured pointers knows what barrier a slot needs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_code.h"
#include "asgst/asgst_vm.h"
#include "safe/mem_self.h"
#include "safe/release.h"
#include <asgst.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

enum { GLOBAL_TAG = 2 };

typedef jint(JNICALL *get_vms)(JavaVM **vms, jsize max, jsize *ret_count);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static get_vms get_created_vms;

static void find_get_vms(void)
{
    char path[PATH_MAX];
    uint64_t bias;
    void *library = asgst_code_libjvm(path, &bias) ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!library)
        return;
    get_created_vms = (get_vms)dlsym(library, "JNI_GetCreatedJavaVMs");
    dlclose(library);
}

static JNIEnv *own_env(void)
{
    JavaVM *java = NULL;
    JNIEnv *env = NULL;
    jsize count = 0;
    pthread_once(&once, find_get_vms);
    if (!get_created_vms || get_created_vms(&java, 1, &count) != JNI_OK || count != 1 ||
        (*java)->GetEnv(java, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        return NULL;
    return env;
}

jclass ASGST_ClassToJClass(ASGST_Class klass)
{
    struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = {.mem = &mem_self};
    JNIEnv *env = vm ? own_env() : NULL;
    /* `slot` is the VM's own slot and not a reference that JNI has returned: -Xcheck:jni would end
     * the VM because of it. */
    if (!env || vm->layout->checks_jni)
        return NULL;
    uint64_t slot = asgst_meta_mirror_slot(&v, vm->layout, &vm->facts, (uint64_t)klass);
    if (slot == 0 || v.faults != 0)
        return NULL;
    /* The slot is as good as a global reference as long as the class is loaded. */
    if (vm->layout->version >= RELEASE_TAGGED_HANDLES)
        slot |= GLOBAL_TAG;
    return (jclass)(*env)->NewLocalRef(env, (jobject)slot);
}
