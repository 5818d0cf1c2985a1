/*
 * costless.c - a JVMPI agent that looks at what an event leaves behind when it is off: the code of
 * methods, as JVM TI has it, and the addresses in the table of JNI functions, are what they were,
 * and the compilers compile. Prints "costless: EVENT: changed C, left L, told T" for each event,
 * which tell what was other while it was on, what still was when it was off, and whether the event
 * has been told. The program Costless runs meanwhile.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { METHODS = 32, CODE = 1024, FUNCTIONS = 4, US = 10000, POLLS = 6000 };

/* What an event may change. */
struct seen {
    unsigned char code[METHODS][CODE];
    jint lengths[METHODS];
    void *functions[FUNCTIONS];
};

static JVMPI_Interface *jvmpi;
static JavaVM *vm;
static jvmtiEnv *jvmti;
static jmethodID methods[METHODS];
static int count;
static jclass program;
static _Atomic long told[JVMPI_MAX_EVENT_TYPE_VAL + 1];
static jmethodID spin;
static _Atomic long spin_compiled;

static void add(JNIEnv *env, const char *class_name, const char *prefix)
{
    jclass klass = (*env)->FindClass(env, class_name);
    jmethodID *all = NULL;
    jint n = 0;
    (*jvmti)->GetClassMethods(jvmti, klass, &n, &all);
    for (jint i = 0; i < n && count < METHODS; i++) {
        char *name = NULL;
        jboolean is_native = JNI_TRUE;
        (*jvmti)->GetMethodName(jvmti, all[i], &name, NULL, NULL);
        (*jvmti)->IsMethodNative(jvmti, all[i], &is_native);
        if (!is_native && strncmp(name, prefix, strlen(prefix)) == 0)
            methods[count++] = all[i];
        if (strcmp(name, "spin") == 0)
            spin = all[i];
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
    (*env)->DeleteLocalRef(env, klass);
}

static void look(JNIEnv *env, struct seen *s)
{
    memset(s, 0, sizeof(*s));
    for (int i = 0; i < count; i++) {
        unsigned char *code = NULL;
        if ((*jvmti)->GetBytecodes(jvmti, methods[i], &s->lengths[i], &code) == JVMTI_ERROR_NONE)
            memcpy(s->code[i], code, s->lengths[i] < CODE ? (size_t)s->lengths[i] : CODE);
        (*jvmti)->Deallocate(jvmti, code);
    }
    s->functions[0] = (void *)(*env)->NewGlobalRef;
    s->functions[1] = (void *)(*env)->DeleteGlobalRef;
    s->functions[2] = (void *)(*env)->NewWeakGlobalRef;
    s->functions[3] = (void *)(*env)->DeleteWeakGlobalRef;
}

static int differs(const struct seen *a, const struct seen *b)
{
    return memcmp(a, b, sizeof(*a)) != 0;
}

/* The program comes by. */
static int wait_for(const _Atomic long *what, long more_than)
{
    int polls = POLLS;
    while (*what <= more_than && polls-- > 0)
        usleep(US);
    return *what > more_than;
}

static void use_refs(JNIEnv *env)
{
    jobject ref = (*env)->NewGlobalRef(env, program);
    jweak weak = (*env)->NewWeakGlobalRef(env, program);
    (*env)->DeleteGlobalRef(env, ref);
    (*env)->DeleteWeakGlobalRef(env, weak);
}

static void try_event(JNIEnv *env, jint event, const char *name)
{
    static struct seen before, during, after;
    bool is_told, is_on;
    look(env, &before);
    is_on = jvmpi->EnableEvent(event, NULL) == JVMPI_SUCCESS;
    look(env, &during);
    use_refs(env);
    is_told = event == JVMPI_EVENT_MONITOR_CONTENDED_EXIT || wait_for(&told[event], 0);
    is_on &= jvmpi->DisableEvent(event, NULL) == JVMPI_SUCCESS;
    told[event] = 0;
    look(env, &after);
    use_refs(env);
    usleep(US);
    fprintf(stderr, "costless: %s: changed %d, left %d, told %d\n", name, differs(&before, &during),
            differs(&before, &after), is_on && is_told && !told[event]);
}

static void set(JNIEnv *env, const char *field)
{
    (*env)->SetStaticBooleanField(env, program, (*env)->GetStaticFieldID(env, program, field, "Z"),
                                  JNI_TRUE);
}

/* While each instruction is told, methods are not compiled; when none is any more, they are. */
static void try_instructions(JNIEnv *env)
{
    enum { MANY = 200000 };
    bool is_told, is_early, is_compiled;
    jvmpi->EnableEvent(JVMPI_EVENT_COMPILED_METHOD_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL);
    set(env, "isSpinning");
    is_told = wait_for(&told[JVMPI_EVENT_INSTRUCTION_START], MANY);
    is_early = spin_compiled != 0;
    jvmpi->DisableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL);
    is_compiled = wait_for(&spin_compiled, 0);
    fprintf(stderr, "costless: INSTRUCTION_START: changed %d, left %d, told %d\n", !is_early,
            !is_compiled, is_told);
}

static void run(void *unused)
{
    jvmtiCapabilities wanted = {.can_get_bytecodes = 1};
    JNIEnv *env = NULL;
    (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2);
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_0) != JNI_OK ||
        (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE)
        jvmpi->ProfilerExit(1);
    program = (*env)->NewGlobalRef(env, (*env)->FindClass(env, "Costless"));
    add(env, "java/lang/Object", "<init>");
    add(env, "java/lang/Thread", "sleep");
    add(env, "Costless", "");
#define TRY(event) try_event(env, JVMPI_EVENT_##event, #event)
    TRY(METHOD_ENTRY);
    TRY(METHOD_ENTRY2);
    TRY(METHOD_EXIT);
    TRY(OBJECT_ALLOC);
    TRY(MONITOR_CONTENDED_EXIT);
    TRY(MONITOR_WAIT);
    TRY(JNI_GLOBALREF_ALLOC);
    TRY(JNI_GLOBALREF_FREE);
    TRY(JNI_WEAK_GLOBALREF_ALLOC);
    TRY(JNI_WEAK_GLOBALREF_FREE);
    try_instructions(env);
    set(env, "isDone");
}

static void on_event(JVMPI_Event *e)
{
    if (e->event_type == JVMPI_EVENT_JVM_INIT_DONE)
        jvmpi->CreateSystemThread((char *)"looks", JVMPI_NORMAL_PRIORITY, run);
    if (e->event_type == JVMPI_EVENT_COMPILED_METHOD_LOAD &&
        e->u.compiled_method_load.method_id == spin)
        spin_compiled++;
    told[e->event_type & ~JVMPI_REQUESTED_EVENT]++;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java, char *options, void *reserved)
{
    vm = java;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1) != JNI_OK)
        return JNI_ERR;
    jvmpi->NotifyEvent = on_event;
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    return JNI_OK;
}
