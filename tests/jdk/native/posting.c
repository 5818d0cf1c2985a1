/*
 * posting.c - somebody else's agent, which tells of a freed object while the VM ends.
 *
 * It tags one object that is garbage at once. The callback that tells of the object makes the file
 * "posting", and returns when the file "go" is there. The VM's own thread for such reports makes
 * it, or, with the option "ender", the thread that ends the VM: then the agent holds up the VM's
 * own thread in another callback (file "held") until the other one tells. In both cases the other
 * thread waits in the VM. When the end of the thread that ends the VM is reported, the agent makes
 * the file "ending". All files lie in the current folder. SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum {
    POLL_US = 10000,
    POLLS = 6000, /* a minute */
};

static int is_ender;

static void make(const char *name)
{
    close(open(name, O_CREAT | O_WRONLY, 0600));
}

static void wait_for(const char *name)
{
    for (int i = 0; i < POLLS && access(name, F_OK) != 0; i++)
        usleep(POLL_US);
}

static void JNICALL on_free(jvmtiEnv *jvmti, jlong tag)
{
    (void)jvmti, (void)tag;
    make("posting");
    wait_for("go");
}

/* The VM tells of compiled methods on the thread that tells of freed objects. */
static void JNICALL on_compiled(jvmtiEnv *jvmti, jmethodID method, jint size, const void *code,
                                jint count, const jvmtiAddrLocationMap *map, const void *info)
{
    static atomic_int begun;
    (void)jvmti, (void)method, (void)size, (void)code, (void)count, (void)map, (void)info;
    if (atomic_fetch_add(&begun, 1) > 0)
        return;
    make("held");
    wait_for("posting");
}

/* Makes the object when the program begins: other agents may have the heap collected before. */
static void JNICALL on_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass klass)
{
    char *name = NULL;
    (void)thread;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &name, NULL) == JVMTI_ERROR_NONE &&
        strcmp(name, "LEnds;") == 0) {
        jobject made = (*env)->NewByteArray(env, 16);
        (*jvmti)->SetTag(jvmti, made, 1);
        (*env)->DeleteLocalRef(env, made);
        if (is_ender)
            (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
                                               JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
}

/* The thread calls System.exit, or it is the last one. */
static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jvmtiThreadInfo info = {.name = NULL};
    jint frames = 0;
    (void)env;
    (*jvmti)->GetFrameCount(jvmti, NULL, &frames);
    (*jvmti)->GetThreadInfo(jvmti, thread, &info);
    if (frames > 0 || (info.name && strcmp(info.name, "DestroyJavaVM") == 0))
        make("ending");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    const jvmtiEventCallbacks callbacks = {
        .ObjectFree = on_free,
        .ThreadEnd = on_thread_end,
        .ClassPrepare = on_prepare,
        .CompiledMethodLoad = on_compiled,
    };
    const jvmtiEvent events[] = {JVMTI_EVENT_OBJECT_FREE, JVMTI_EVENT_THREAD_END,
                                 JVMTI_EVENT_CLASS_PREPARE};
    const jvmtiCapabilities needed = {.can_tag_objects = 1,
                                      .can_generate_object_free_events = 1,
                                      .can_generate_compiled_method_load_events = 1};
    jvmtiEnv *jvmti;
    (void)reserved;
    is_ender = options && strcmp(options, "ender") == 0;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &needed) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof(callbacks)) != JVMTI_ERROR_NONE)
        return JNI_ERR;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL) !=
            JVMTI_ERROR_NONE)
            return JNI_ERR;
    return JNI_OK;
}
