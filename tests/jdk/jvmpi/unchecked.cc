/*
 * unchecked.cc - a JVMPI agent in the C++ of its time, as articles of then print them: jvmpi.h alone
 * is included, options are used unchecked, ids and names are what the specification declares.
 *
 * The option names a Java class with `public static byte[] instrumentClass(byte[])`, which is given
 * class files from the VM's initialisation on, one at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL(routine) (jvmpi->routine)

static JVMPI_Interface *jvmpi;
JavaVM *vm;
char *weaver_name;
jclass weaver = 0;
jmethodID weave = 0;
int weaving = 0;
int methods = 0;

static void OnHook(JVMPI_Event *event)
{
    JNIEnv *env;

    event->u.class_load_hook.new_class_data = event->u.class_load_hook.class_data;
    event->u.class_load_hook.new_class_data_len = event->u.class_load_hook.class_data_len;
    vm->GetEnv((void **)&env, JNI_VERSION_1_2);
    if (weaving == 1)
        return;
    weaving = 1;
    jbyteArray before = env->NewByteArray(event->u.class_load_hook.class_data_len);
    env->SetByteArrayRegion(before, 0, event->u.class_load_hook.class_data_len,
                            (jbyte *)event->u.class_load_hook.class_data);
    jbyteArray after = (jbyteArray)env->CallStaticObjectMethod(weaver, weave, before);
    if (after != 0) {
        int length = env->GetArrayLength(after);

        event->u.class_load_hook.new_class_data_len = length;
        event->u.class_load_hook.new_class_data =
            (unsigned char *)event->u.class_load_hook.malloc_f(length);
        env->GetByteArrayRegion(after, 0, length,
                                (jbyte *)event->u.class_load_hook.new_class_data);
    }
    weaving = 0;
}

static void OnClass(JVMPI_Event *event)
{
    char *name = event->u.class_load.class_name;
    JVMPI_Method *method = event->u.class_load.methods;
    jobjectID id = event->u.class_load.class_id;

    if (strcmp(name, "Hooked") != 0)
        return;
    for (int i = 0; i < event->u.class_load.num_methods; i++) {
        char *method_name = method[i].method_name;
        methods += CALL(GetMethodClass)(method[i].method_id) == id && strlen(method_name) > 0;
    }
}

static void NotifyEvent(JVMPI_Event *event)
{
    switch (event->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE: {
        JNIEnv *env = event->env_id;

        weaver = (jclass)env->NewGlobalRef(env->FindClass(weaver_name));
        weave = env->GetStaticMethodID(weaver, "instrumentClass", "([B)[B");
        CALL(EnableEvent)(JVMPI_EVENT_CLASS_LOAD_HOOK, NULL);
        break;
    }
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        OnHook(event);
        break;
    case JVMPI_EVENT_LOAD_COMPILED_METHOD:
        break;
    case JVMPI_EVENT_CLASS_LOAD:
        OnClass(event);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        fprintf(stderr, "unchecked: %d methods\n", methods);
        break;
    }
}

extern "C" {
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *jvm, char *options, void *reserved)
{
    weaver_name = (char *)malloc(sizeof(char) * strlen(options) + 1);
    strcpy(weaver_name, options);
    vm = jvm;
    if ((jvm->GetEnv((void **)&jvmpi, JVMPI_VERSION_1_1)) < 0)
        return JNI_ERR;
    jvmpi->NotifyEvent = NotifyEvent;
    CALL(EnableEvent)(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    CALL(EnableEvent)(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    CALL(EnableEvent)(JVMPI_EVENT_CLASS_LOAD, NULL);
    return JNI_OK;
}
}
