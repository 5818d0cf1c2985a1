/*
 * trigger_said.c - see trigger.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/trigger/trigger.h"
#include <stdio.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "vm/vm_lookup.h"
#include "vm/vm_names.h"

enum { STACK_MAX = 64, REFS = 16 };

void trigger_said_thread(jvmtiEnv *jvmti, JNIEnv *env, char ret[TRIGGER_SAID_THREAD])
{
    jvmtiThreadInfo info = {.name = NULL};
    (void)(*jvmti)->GetThreadInfo(jvmti, NULL, &info);
    snprintf(ret, TRIGGER_SAID_THREAD, "%s", info.name ? info.name : "?");
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    if (info.thread_group)
        (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader)
        (*env)->DeleteLocalRef(env, info.context_class_loader);
}

/* Print the name of a class with dots; nothing if it is unknown. */
static void put_class(FILE *out, jvmtiEnv *jvmti, jclass klass)
{
    char *signature = NULL;
    const char *name;
    size_t len;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    name = vm_names_class(signature, &len);
    for (size_t i = 0; i < len; i++)
        putc(name[i] == '/' ? '.' : name[i], out);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

/* Print the message from its field, because getMessage() may be code of the program. */
static void put_message(FILE *out, JNIEnv *env, jobject exception)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jfieldID field = vm_lookup_field(&l, vm_lookup_class(&l, "java/lang/Throwable"),
                                     "detailMessage", "Ljava/lang/String;");
    jstring message;
    const char *text;
    if (!vm_lookup_end(&l))
        return;
    message = (*env)->GetObjectField(env, exception, field);
    text = message ? (*env)->GetStringUTFChars(env, message, NULL) : NULL;
    if (text) {
        fprintf(out, ": %s", text);
        (*env)->ReleaseStringUTFChars(env, message, text);
    }
}

char *trigger_said(struct agent *a, JNIEnv *env, jobject exception)
{
    char thread[TRIGGER_SAID_THREAD], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out || (*env)->PushLocalFrame(env, REFS) != JNI_OK) {
        if (out)
            fclose(out);
        return text;
    }
    trigger_said_thread(a->vm.main, env, thread);
    put_class(out, a->vm.main, (*env)->GetObjectClass(env, exception));
    put_message(out, env, exception);
    fprintf(out, ", in the thread \"%s\"", thread);
    (*env)->PopLocalFrame(env, NULL);
    fclose(out);
    return text;
}

/* Print one element of the stack. */
static void put_element(FILE *out, JNIEnv *env, jobject element, jmethodID to_string)
{
    jstring line = (*env)->CallObjectMethod(env, element, to_string);
    const char *text =
        line && !(*env)->ExceptionCheck(env) ? (*env)->GetStringUTFChars(env, line, NULL) : NULL;
    if (text) {
        fprintf(out, "\tat %s\n", text);
        (*env)->ReleaseStringUTFChars(env, line, text);
    }
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, line);
}

static void put_elements(FILE *out, JNIEnv *env, jobject exception)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass throwable = vm_lookup_class(&l, "java/lang/Throwable");
    jmethodID get =
        vm_lookup_method(&l, throwable, "getStackTrace", "()[Ljava/lang/StackTraceElement;");
    jmethodID to_string = vm_lookup_method(&l, vm_lookup_class(&l, "java/lang/Object"), "toString",
                                           "()Ljava/lang/String;");
    jobjectArray elements;
    if (!vm_lookup_end(&l))
        return;
    elements = (*env)->CallObjectMethod(env, exception, get);
    if ((*env)->ExceptionCheck(env) || !elements) {
        (*env)->ExceptionClear(env);
        return;
    }
    for (jsize i = 0; i < (*env)->GetArrayLength(env, elements) && i < STACK_MAX; i++) {
        jobject element = (*env)->GetObjectArrayElement(env, elements, i);
        put_element(out, env, element, to_string);
        (*env)->DeleteLocalRef(env, element);
    }
}

char *trigger_said_stack(JNIEnv *env, jobject exception)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if ((*env)->PushLocalFrame(env, REFS) == JNI_OK) {
        put_elements(out, env, exception);
        (*env)->PopLocalFrame(env, NULL);
    }
    fclose(out);
    return text;
}
