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
#include "format/row_marks.h"

enum { REFERENCES = 16 };

/* Whether each class of the model is loaded now, by class_id; NULL: the VM does not say. */
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

/*
 * GetLoadedClasses lacks some classes, for example those of lambdas on JDK 8. Such a class exists
 * as long as its tag; one call of GetObjectsWithTags looks up all of `ids`.
 */
static void add_unlisted(struct agent *a, const jlong *ids, jint count, bool *is_loaded)
{
    jlong *found = NULL;
    jint found_count = 0;

    bool is_known =
        count > 0 && (*a->names->jvmti)
                             ->GetObjectsWithTags(a->names->jvmti, count, ids, &found_count, NULL,
                                                  &found) == JVMTI_ERROR_NONE;
    for (jint i = 0; !is_known && i < count; i++)
        is_loaded[ids[i]] = true;
    for (jint i = 0; is_known && i < found_count; i++)
        is_loaded[found[i]] = true;
    (*a->names->jvmti)->Deallocate(a->names->jvmti, (unsigned char *)found);
}

void class_drops_tell(struct agent *a, struct recording *r, JNIEnv *env)
{
    struct row_marks *marks = recording_marks(r);
    if (!recording_can(r, WRITER_CLASSES) || !marks ||
        options_group_marks(&r->options) & OPTIONS_MARK_PLAIN ||
        /* room for one reference to each class */
        (*env)->PushLocalFrame(env, REFERENCES) != JNI_OK)
        return;
    uint32_t classes = profile_class_count(a->profile);
    bool *is_loaded = loaded_now(a);
    jlong *ids = is_loaded ? calloc((size_t)classes + 1, sizeof(*ids)) : NULL;
    jint count = 0;

    /*
     * A class that only a stack has named was in no earlier list, so it is not reported as
     * unloaded.
     */
    for (class_id id = 1; ids && id <= classes; id++) {
        if (is_loaded[id])
            (void)row_marks_set(marks, ROW_MARKS_LISTED, id);
        else if (row_marks_take(marks, ROW_MARKS_LISTED, id) && row_marks_class(marks, id))
            ids[count++] = id;
    }
    if (ids)
        add_unlisted(a, ids, count, is_loaded);
    for (jint i = 0; i < count; i++) {
        if (is_loaded[ids[i]])
            (void)row_marks_set(marks, ROW_MARKS_LISTED, (class_id)ids[i]);
        else
            recording_unload_class(r, (class_id)ids[i]);
    }
    free(ids);
    free(is_loaded);
    (*env)->PopLocalFrame(env, NULL);
}
