/*
 * instructions.c - a JVMPI agent that writes down the instructions of some classes.
 *
 * Options: names of classes with slashes for dots, and words, with colons between. The file
 * "instructions" gets a line for each INSTRUCTION_START in a method of these classes: the thread,
 * the class, the method, the offset, and the event's union as three numbers and its first byte.
 * Words: `methods` turns on METHOD_ENTRY, METHOD_EXIT, MONITOR_CONTENDED_EXIT and
 * MONITOR_WAIT beside, `objects` OBJECT_ALLOC; `java`
 * has the handler call Java, which collects the garbage; `toggle` has a thread of the agent turn
 * the event off and on, and doubt that any comes in between. That thread and `late`, which turns
 * the event on, begin when the program makes the file "warm"; "toggled" says that the thread is
 * done. METHOD events get lines, too: "entry" or "exit" in the place of the offset.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    METHODS = 256,
    CLASSES = 16,
    TOGGLES = 1000,
    POLL_US = 1000,
    TOLD_MIN = 20,
    MOVES_EACH = 251
};

static JVMPI_Interface *jvmpi;
static struct method {
    jmethodID id;
    char class_name[64], name[64], signature[128];
} methods[METHODS];
static _Atomic int method_count;
static char *classes[CLASSES];
static int class_count;
static bool with_methods, with_objects, with_java, with_toggle, is_late;
static FILE *file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic long told, late, missed, wrongs, compiled, unknown, moves;
static _Atomic bool is_off;
static jclass system_class;
static jmethodID gc_method;

static const struct method *method_of(jmethodID id)
{
    for (int i = 0; i < method_count; i++)
        if (methods[i].id == id)
            return &methods[i];
    return NULL;
}

static void on_class(JVMPI_Event *e)
{
    bool is_wanted = false;
    for (int i = 0; i < class_count; i++)
        is_wanted |= strcmp(e->u.class_load.class_name, classes[i]) == 0;
    if (strstr(e->u.class_load.class_name, "Hprof_"))
        wrongs++; /* a class of the bridge */
    for (int i = 0; is_wanted && i < e->u.class_load.num_methods && method_count < METHODS; i++) {
        struct method *m = &methods[method_count];
        m->id = e->u.class_load.methods[i].method_id;
        snprintf(m->class_name, sizeof(m->class_name), "%s", e->u.class_load.class_name);
        snprintf(m->name, sizeof(m->name), "%s", e->u.class_load.methods[i].method_name);
        snprintf(m->signature, sizeof(m->signature), "%s",
                 e->u.class_load.methods[i].method_signature);
        method_count++;
    }
}

static void on_instruction(JVMPI_Event *e)
{
    const struct method *m = method_of(e->u.instruction.method_id);
    told++;
    late += is_off;
    if (!m || !file)
        return;
    /* objects move here as well; not at each step, which would be thousands of collections */
    if (with_java && strcmp(m->name, "objects") == 0 && ++moves % MOVES_EACH == 0)
        (*e->env_id)->CallStaticVoidMethod(e->env_id, system_class, gc_method);
    pthread_mutex_lock(&lock);
    fprintf(file, "%p %s %s%s %d %d %d %d %d\n", (void *)e->env_id, m->class_name, m->name,
            m->signature, e->u.instruction.offset, e->u.instruction.u.tableswitch_info.key,
            e->u.instruction.u.tableswitch_info.low, e->u.instruction.u.tableswitch_info.hi,
            e->u.instruction.u.if_info.is_true);
    pthread_mutex_unlock(&lock);
}

static void on_method(JVMPI_Event *e, const char *what)
{
    const struct method *m = method_of(e->u.method.method_id);
    if (!m || !file)
        return;
    pthread_mutex_lock(&lock);
    fprintf(file, "%p %s %s%s %s 0 0 0 0\n", (void *)e->env_id, m->class_name, m->name,
            m->signature, what);
    pthread_mutex_unlock(&lock);
}

static void wait_for(const char *name)
{
    while (access(name, F_OK) != 0)
        usleep(POLL_US);
}

static void toggle(void *arg)
{
    (void)arg;
    wait_for("warm");
    for (int i = 0; i < TOGGLES; i++) {
        long before;
        if (jvmpi->EnableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL) != JVMPI_SUCCESS)
            wrongs++;
        before = told;
        for (int polls = 0; told - before < TOLD_MIN && polls < 100000; polls++)
            usleep(10);
        missed += told - before < TOLD_MIN;
        if (jvmpi->DisableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL) != JVMPI_SUCCESS)
            wrongs++;
        is_off = true;
        if (with_methods && i % 100 == 0) {
            jvmpi->DisableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
            jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
        }
        is_off = false;
    }
    fclose(fopen("toggled", "w"));
}

static void turn_on(void *arg)
{
    (void)arg;
    wait_for("warm");
    if (jvmpi->EnableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL) != JVMPI_SUCCESS)
        wrongs++;
    fclose(fopen("toggled", "w"));
}

static void on_init(JNIEnv *env)
{
    if (with_java) {
        system_class = (*env)->NewGlobalRef(env, (*env)->FindClass(env, "java/lang/System"));
        gc_method = (*env)->GetStaticMethodID(env, system_class, "gc", "()V");
    }
    if (jvmpi->RequestEvent(JVMPI_EVENT_INSTRUCTION_START, NULL) != JVMPI_NOT_AVAILABLE)
        wrongs++;
    if (with_methods) {
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_CONTENDED_EXIT, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_MONITOR_WAIT, NULL);
    }
    if (with_objects)
        jvmpi->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    if (with_toggle)
        jvmpi->CreateSystemThread((char *)"toggler", JVMPI_NORMAL_PRIORITY, toggle);
    else if (is_late)
        jvmpi->CreateSystemThread((char *)"enabler", JVMPI_NORMAL_PRIORITY, turn_on);
    else if (jvmpi->EnableEvent(JVMPI_EVENT_INSTRUCTION_START, NULL) != JVMPI_SUCCESS)
        wrongs++;
}

static void notify(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_CLASS_LOAD:
        on_class(e);
        break;
    case JVMPI_EVENT_INSTRUCTION_START:
        on_instruction(e);
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
        on_method(e, "entry");
        break;
    case JVMPI_EVENT_METHOD_EXIT:
        on_method(e, "exit");
        break;
    case JVMPI_EVENT_COMPILED_METHOD_LOAD:
        compiled++;
        unknown += jvmpi->RequestEvent(
                       JVMPI_EVENT_CLASS_LOAD,
                       jvmpi->GetMethodClass(e->u.compiled_method_load.method_id)) != JVMPI_SUCCESS;
        break;
    case JVMPI_EVENT_JVM_INIT_DONE:
        on_init(e->env_id);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        if (compiled == 0 || unknown > 0)
            fprintf(stderr, "instructions: %ld compiled, %ld unknown\n", compiled, unknown);
        fprintf(stderr, "instructions: %ld wrong, %ld late, %ld missed, %s\n", wrongs + unknown,
                late, missed, told > 0 ? "some told" : "none told");
        if (file)
            fclose(file);
        break;
    default:
        break;
    }
}

static void read_options(char *options)
{
    for (char *word = strtok(options, ":"); word; word = strtok(NULL, ":")) {
        with_methods |= strcmp(word, "methods") == 0;
        with_objects |= strcmp(word, "objects") == 0;
        with_java |= strcmp(word, "java") == 0;
        with_toggle |= strcmp(word, "toggle") == 0;
        is_late |= strcmp(word, "late") == 0;
        if (word[0] >= 'A' && word[0] <= 'Z' && class_count < CLASSES)
            classes[class_count++] = strdup(word);
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmpi, JVMPI_VERSION_1_1) != JNI_OK)
        return JNI_ERR;
    read_options(options);
    file = class_count > 0 ? fopen("instructions", "w") : NULL;
    jvmpi->NotifyEvent = notify;
    jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_COMPILED_METHOD_LOAD, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    return JNI_OK;
}
