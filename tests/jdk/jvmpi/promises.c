/*
 * promises.c - a JVMPI agent for sentences of the specification that one event or call can show.
 *
 * The option says which: `exit` ends the process by ProfilerExit(7) when the VM is ready; `data`
 * says of the requests for data that it is given, in turn; `hook:X>Y` changes the text X to Y,
 * which is as long, in all classes; `toggle:N` turns METHOD_ENTRY, EXIT and OBJECT_ALLOC on and off
 * N times, doubts that an event comes while they are off, and makes the file "done".
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdatomic.h>
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
static _Atomic int is_off = 1;
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
        is_off = 0;
        for (int i = 0; i < TOGGLED; i++)
            jvmpi->EnableEvent(toggled[i], NULL);
        silent += !comes(before);
        for (int i = 0; i < TOGGLED; i++)
            jvmpi->DisableEvent(toggled[i], NULL);
        is_off = 1;
    }
    fprintf(stderr, "promises: %d rounds, %d silent, %ld late\n", rounds, silent, late);
    done = fopen("done", "w");
    if (done)
        fclose(done);
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
        on_hook(e);
        break;
    default:
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    void *answer = NULL;

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
    if (strncmp(mode, "hook:", 5) == 0)
        jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD_HOOK, NULL);
    return JNI_OK;
}
