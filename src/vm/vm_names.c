/*
 * vm_names.c - see vm_names.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_names.h"
#include <string.h>

bool vm_names_method(jvmtiEnv *jvmti, JNIEnv *env, jmethodID id, struct vm_names_method *ret)
{
    *ret = (struct vm_names_method){.klass = NULL};
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, id, &ret->klass) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetClassSignature(jvmti, ret->klass, &ret->signature, NULL) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetMethodName(jvmti, id, &ret->name, &ret->desc, NULL) == JVMTI_ERROR_NONE)
        return true;
    vm_names_done(jvmti, env, ret);
    return false;
}

void vm_names_done(jvmtiEnv *jvmti, JNIEnv *env, struct vm_names_method *m)
{
    (*jvmti)->Deallocate(jvmti, (unsigned char *)m->signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)m->name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)m->desc);
    if (m->klass)
        (*env)->DeleteLocalRef(env, m->klass);
    *m = (struct vm_names_method){.klass = NULL};
}

/* The method of the class that has these names; `otherwise` if no method has them. */
static jmethodID find(jvmtiEnv *jvmti, const struct vm_names_method *names, jmethodID otherwise)
{
    jmethodID *methods = NULL, found = NULL;
    jint count = 0;
    if ((*jvmti)->GetClassMethods(jvmti, names->klass, &count, &methods) != JVMTI_ERROR_NONE)
        return otherwise;
    for (jint i = 0; i < count && !found; i++) {
        char *name = NULL, *desc = NULL;
        if ((*jvmti)->GetMethodName(jvmti, methods[i], &name, &desc, NULL) == JVMTI_ERROR_NONE &&
            strcmp(name, names->name) == 0 && strcmp(desc, names->desc) == 0)
            found = methods[i];
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)desc);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    return found ? found : otherwise;
}

jmethodID vm_names_known_id(jvmtiEnv *jvmti, JNIEnv *env, jmethodID id)
{
    struct vm_names_method names;
    jboolean is_obsolete = JNI_FALSE;
    if ((*jvmti)->IsMethodObsolete(jvmti, id, &is_obsolete) != JVMTI_ERROR_NONE || !is_obsolete ||
        !vm_names_method(jvmti, env, id, &names))
        return id;
    id = find(jvmti, &names, id);
    vm_names_done(jvmti, env, &names);
    return id;
}

const char *vm_names_class(const char *signature, size_t *ret_len)
{
    size_t len = strlen(signature);
    *ret_len = signature[0] == 'L' && len > 2 ? len - 2 : 0;
    return signature + 1;
}
