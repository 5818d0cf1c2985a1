/*
 * promises.c - a JVMPI agent for sentences of the specification that one event or call can show.
 *
 * The option says which: `exit` ends the process by ProfilerExit(7) when the VM is ready; `data`
 * says of the requests for data that it is given, in turn; `hook:X>Y` changes the text X to Y,
 * which is as long, in all classes; `nest` has Java load the class Inner3 when Outer3 is loaded,
 * and so on, and says how many were seen within the other's hook, on how many threads at once, and
 * whether a class of the JDK was; `toggle:N` turns METHOD_ENTRY, EXIT and OBJECT_ALLOC on and off
 * N times, doubts that an event comes while they are off, and makes the file "done".
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE /* memmem */
#include <jvmpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_STATUS = 7, US = 1000, PATIENCE = 20000 };

static const jint toggled[] = {JVMPI_EVENT_METHOD_ENTRY, JVMPI_EVENT_METHOD_EXIT,
                               JVMPI_EVENT_OBJECT_ALLOC};
enum { TOGGLED = sizeof(toggled) / sizeof(toggled[0]) };

static JVMPI_Interface *jvmpi;
static const char *mode;
static _Atomic bool is_off = true;
static _Atomic long late, told[TOGGLED];

/* Whether each of the events comes within a while. */
static int comes(const long before[TOGGLED])
{
    for (int polls = 0; polls < PATIENCE; polls++) {
        int all = 1;
        for (int i = 0; i < TOGGLED; i++)
            all &= told[i] > before[i];
        if (all)
            return 1;
        usleep(US);
    }
    return 0;
}

static void toggle(void *unused)
{
    int rounds = atoi(strchr(mode, ':') + 1), silent = 0;
    FILE *done;
    for (int round = 0; round < rounds; round++) {
        long before[TOGGLED];
        for (int i = 0; i < TOGGLED; i++)
            before[i] = told[i];
        is_off = false;
        for (int i = 0; i < TOGGLED; i++)
            jvmpi->EnableEvent(toggled[i], NULL);
        silent += !comes(before);
        for (int i = 0; i < TOGGLED; i++)
            jvmpi->DisableEvent(toggled[i], NULL);
        is_off = true;
    }
    fprintf(stderr, "promises: %d rounds, %d silent, %ld late\n", rounds, silent, late);
    done = fopen("done", "w");
    if (done)
        fclose(done);
}

/* ---- nest */

enum { PAIRS = 8, TEXT_MAX = 16 };

static JavaVM *vm;
static __thread int outer = -1; /* the class whose hook this thread is in */
static _Atomic int nested, inside, most_inside, has_jdk;

static bool has_text(const JVMPI_Event *e, const char *text)
{
    return memmem(e->u.class_load_hook.class_data, (size_t)e->u.class_load_hook.class_data_len,
                  text, strlen(text)) != NULL;
}

static void load(const char *name)
{
    JNIEnv *env = NULL;
    jclass klass;
    jmethodID method;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_2) != JNI_OK)
        return;
    klass = (*env)->FindClass(env, "Nesting");
    method = (*env)->GetStaticMethodID(env, klass, "load", "(Ljava/lang/String;)V");
    (*env)->CallStaticVoidMethod(env, klass, method, (*env)->NewStringUTF(env, name));
}

/* Waits for another thread in here, so that two are. */
static void on_outer(int number)
{
    char name[TEXT_MAX];
    int now = atomic_fetch_add(&inside, 1) + 1;
    for (int polls = 0; now < 2 && polls < PATIENCE && most_inside < 2; polls++) {
        usleep(US);
        now = inside;
    }
    if (now > most_inside)
        most_inside = now;
    outer = number;
    snprintf(name, sizeof(name), "Inner%d", number);
    load(name);
    outer = -1;
    inside--;
}

static void on_nesting(JVMPI_Event *e)
{
    char text[TEXT_MAX];
    e->u.class_load_hook.new_class_data = e->u.class_load_hook.class_data;
    e->u.class_load_hook.new_class_data_len = e->u.class_load_hook.class_data_len;
    has_jdk |= has_text(e, "java/util/concurrent/CyclicBarrier") && !has_text(e, "Nesting");
    for (int i = 0; i < PAIRS; i++) {
        snprintf(text, sizeof(text), "Inner%d", i);
        nested += outer == i && has_text(e, text);
        snprintf(text, sizeof(text), "Outer%d", i);
        if (has_text(e, text))
            on_outer(i);
    }
}

/* The text behind "hook:" is as long before as after the sign. */
static void on_hook(JVMPI_Event *e)
{
    const char *from = strchr(mode, ':') + 1, *to = strchr(from, '>') + 1;
    jint len = e->u.class_load_hook.class_data_len, text = (jint)(to - from - 1);
    unsigned char *copy = e->u.class_load_hook.malloc_f((unsigned)len);
    memcpy(copy, e->u.class_load_hook.class_data, (size_t)len);
    for (jint i = 0; i + text <= len; i++)
        if (memcmp(copy + i, from, (size_t)text) == 0)
            memcpy(copy + i, to, (size_t)text);
    e->u.class_load_hook.new_class_data = copy;
    e->u.class_load_hook.new_class_data_len = len;
}

static void on_event(JVMPI_Event *e)
{
    for (int i = 0; i < TOGGLED; i++) {
        if (e->event_type == toggled[i]) {
            late += is_off;
            told[i]++;
        }
    }
    switch (e->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE:
        if (strcmp(mode, "exit") == 0)
            jvmpi->ProfilerExit(EXIT_STATUS);
        if (strncmp(mode, "toggle:", 7) == 0)
            jvmpi->CreateSystemThread((char *)"toggler", JVMPI_NORMAL_PRIORITY, toggle);
        break;
    case JVMPI_EVENT_DATA_DUMP_REQUEST:
        fprintf(stderr, "promises: dump\n");
        break;
    case JVMPI_EVENT_DATA_RESET_REQUEST:
        fprintf(stderr, "promises: reset\n");
        break;
    case JVMPI_EVENT_CLASS_LOAD_HOOK:
        if (strcmp(mode, "nest") == 0)
            on_nesting(e);
        else
            on_hook(e);
        break;
    case JVMPI_EVENT_JVM_SHUT_DOWN:
        fprintf(stderr, "promises: %d nested, %s, of the JDK %d\n", nested,
                most_inside > 1 ? "several threads" : "one thread", has_jdk);
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *java, char *options, void *reserved)
{
    void *answer = NULL;
    vm = java;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1) < 0)
        return JNI_ERR;
    jvmpi = answer;
    mode = strdup(options);
    jvmpi->NotifyEvent = on_event;
    jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
    if (strcmp(mode, "data") == 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_DATA_DUMP_REQUEST, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_DATA_RESET_REQUEST, NULL);
    }
    if (strcmp(mode, "nest") == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
    if (strncmp(mode, "hook:", 5) == 0 || strcmp(mode, "nest") == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD_HOOK, NULL);
    return JNI_OK;
}
