/*
 * classload_tracer.c - a JVMPI agent that says which classes are loaded, and with what in them.
 *
 * The first example of the specification (section 8.1), in our words:
 *   cc -shared -fPIC -Iinclude -I$JAVA_HOME/include -I$JAVA_HOME/include/linux \
 *      examples/jvmpi/classload_tracer.c -o libclassload_tracer.so
 *   LD_LIBRARY_PATH=. java -agentpath:libjvmpi.so -Xrunclassload_tracer -cp . Program
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jvmpi.h>
#include <stdio.h>

static JVMPI_Interface *jvmpi;

static void on_event(JVMPI_Event *event)
{
    if (event->event_type == JVMPI_EVENT_CLASS_LOAD)
        fprintf(stderr, "class load: %s, %d methods, %d static fields, %d fields\n",
                event->u.class_load.class_name, (int)event->u.class_load.num_methods,
                (int)event->u.class_load.num_static_fields,
                (int)event->u.class_load.num_instance_fields);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    void *answer = NULL;
    (void)options, (void)reserved;
    if ((*vm)->GetEnv(vm, &answer, JVMPI_VERSION_1) < 0) {
        fprintf(stderr, "class load: this VM has no JVMPI\n");
        return JNI_ERR;
    }
    jvmpi = answer;
    jvmpi->NotifyEvent = on_event;
    return jvmpi->EnableEvent(JVMPI_EVENT_CLASS_LOAD, NULL) == JVMPI_SUCCESS ? JNI_OK : JNI_ERR;
}
