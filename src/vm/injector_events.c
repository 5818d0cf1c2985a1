/*
 * injector_events.c - see injector_events.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/injector_events.h"
#include <string.h>

static bool is_named(jvmtiEnv *jvmti, jclass klass, const char *wanted)
{
    char *signature = NULL;
    bool is_it;
    if ((*jvmti)->GetClassSignature(jvmti, klass, &signature, NULL) != JVMTI_ERROR_NONE)
        return false;
    is_it = strcmp(signature, wanted) == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return is_it;
}

struct injector_events injector_events_among(jvmtiEnv *jvmti, const jclass *classes, jint count)
{
    struct injector_events e = {.jvmti = jvmti};
    for (jint i = 0; i < count && !(e.recorded && e.of_jdk); i++) {
        if (!e.recorded && is_named(jvmti, classes[i], "Ljdk/jfr/Event;"))
            e.recorded = classes[i];
        else if (!e.of_jdk && is_named(jvmti, classes[i], "Ljdk/internal/event/Event;"))
            e.of_jdk = classes[i];
    }
    return e;
}

/* Whether the constant pool of the class names a tracker that a probe calls. */
static bool is_woven(const struct injector_events *e, jclass klass)
{
    unsigned char *bytes = NULL;
    jint entries, len;
    bool is_it = false;
    if ((*e->jvmti)->GetConstantPool(e->jvmti, klass, &entries, &len, &bytes) != JVMTI_ERROR_NONE)
        return true;
    for (uint32_t i = 0; i < e->tracker_count; i++)
        is_it |= memmem(bytes, (size_t)len, e->trackers[i], strlen(e->trackers[i])) != NULL;
    (*e->jvmti)->Deallocate(e->jvmti, bytes);
    return is_it;
}

bool injector_events_has(const struct injector_events *e, JNIEnv *env, jclass klass)
{
    bool is_event = e->recorded && ((*env)->IsAssignableFrom(env, klass, e->recorded) ||
                                    (e->of_jdk && (*env)->IsAssignableFrom(env, klass, e->of_jdk)));
    return is_event && !is_woven(e, klass);
}
