/*
 * class_drops.c - see class_drops.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/class_drops.h"
#include <stdbool.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/names.h"
#include "agent/recording.h"
#include "options/options_group.h"

enum { REFERENCES = 16 };

/* By class of the model, which is loaded now; NULL: nobody knows. */
static bool *loaded_now(struct agent *a)
{
    jclass *classes = NULL;
    jint count = 0;

    if ((*a->vm.main)->GetLoadedClasses(a->vm.main, &count, &classes) != JVMTI_ERROR_NONE)
        return NULL;
    class_id *rows = calloc((size_t)count + 1, sizeof(*rows));
    for (jint i = 0; rows && i < count; i++)
        rows[i] = names_known_class(a, classes[i]);
    bool *is_loaded = rows ? calloc(profile_class_count(a->profile) + 1, sizeof(*is_loaded)) : NULL;
    for (jint i = 0; is_loaded && i < count; i++)
        is_loaded[rows[i]] = true;
    free(rows);
    (*a->vm.main)->Deallocate(a->vm.main, (unsigned char *)classes);
    return is_loaded;
}

void class_drops_tell(struct agent *a, struct recording *r, JNIEnv *env)
{
    struct hprof_out *o = &r->output.out;

    if (!o->ops->unload_class || options_group_marks(&r->options) & OPTIONS_MARK_PLAIN ||
        (*env)->PushLocalFrame(env, REFERENCES) != JNI_OK) /* as many as there are classes */
        return;
    bool *is_loaded = loaded_now(a);

    for (class_id id = 1; is_loaded && id <= profile_class_count(a->profile); id++) {
        /* What no list had yet, as a class that only a stack has named, may be there all the same.
         */
        if (is_loaded[id])
            (void)hprof_marks_set(&o->marks, HPROF_MARKS_LISTED, id);
        else if (hprof_marks_take(&o->marks, HPROF_MARKS_LISTED, id) &&
                 hprof_marks_class(&o->marks, id))
            o->ops->unload_class(o, id);
    }
    free(is_loaded);
    (*env)->PopLocalFrame(env, NULL);
}
