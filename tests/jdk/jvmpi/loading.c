/*
 * loading.c - a JVMPI agent that says what it is given.
 *
 * Options: `fail` makes JVM_OnLoad return an error; `loads` waits for the begin and the end of the
 * VM; with others it prints which versions GetEnv answers, and what the options were.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdio.h>
#include <string.h>

static void on_event(JVMPI_Event *event)
{
    const char *what = event->event_type == JVMPI_EVENT_JVM_INIT_DONE   ? "begins"
                       : event->event_type == JVMPI_EVENT_JVM_SHUT_DOWN ? "ends"
                                                                        : "another event";
    fprintf(stderr, "loading: %s\n", what);
}

static jint ask(JavaVM *vm, jint version, void **ret)
{
    jint result = (*vm)->GetEnv(vm, ret, version);
    return result == JNI_OK && *ret && ((JVMPI_Interface *)*ret)->EnableEvent ? 1 : result;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    void *tables[3] = {NULL, NULL, NULL}, *other = NULL;
    JVMPI_Interface *jvmpi;
    jint good = 1;
    if (reserved || strcmp(options, "fail") == 0)
        return JNI_ERR;
    for (int i = 0; i < 3; i++)
        good &= ask(vm, JVMPI_VERSION_1 + i, &tables[i]);
    jvmpi = tables[0];
    jvmpi->NotifyEvent = on_event;
    if (strcmp(options, "loads") == 0) {
        jvmpi->EnableEvent(JVMPI_EVENT_JVM_INIT_DONE, NULL);
        jvmpi->EnableEvent(JVMPI_EVENT_JVM_SHUT_DOWN, NULL);
        return JNI_OK;
    }
    fprintf(stderr, "loading: %d %d %d %d, %s, options %s\n", (int)good,
            (int)(*vm)->GetEnv(vm, &other, JNI_VERSION_1_2),
            (int)(*vm)->GetEnv(vm, &other, JVMPI_VERSION_1 - 1),
            (int)(*vm)->GetEnv(vm, &other, JVMPI_VERSION_1_2 + 1),
            tables[0] == tables[1] && tables[1] == tables[2] ? "same table" : "several tables",
            options);
    return JNI_OK;
}
