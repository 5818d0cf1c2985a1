/*
 * frozen_classes.c - see frozen_classes.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_classes.h"
#include <errno.h>
#include "agent/frozen/frozen_vm.h"
#include "base/arena.h"
#include "base/err.h"
#include "heapwalk/heap_class.h"

int frozen_classes_take(struct frozen_classes *c, jvmtiEnv *jvmti, JNIEnv *env, struct arena *arena)
{
    for (jint i = 0; c->list && i < c->count; i++)
        (*env)->DeleteLocalRef(env, c->list[i]);
    frozen_classes_forget(c, jvmti);
    if ((*jvmti)->GetLoadedClasses(jvmti, &c->count, &c->list) != JVMTI_ERROR_NONE)
        return E_UNSUPPORTED;
    size_t rows = (size_t)c->count + 1;

    c->mirrors = arena_alloc(arena, rows * sizeof(*c->mirrors));
    c->klasses = arena_alloc(arena, rows * sizeof(*c->klasses));
    return c->mirrors && c->klasses ? 0 : -ENOMEM;
}

void frozen_classes_locate(struct frozen_classes *c, const struct frozen_vm *v)
{
    for (jint i = 0; i < c->count; i++) {
        uint64_t mirror = frozen_vm_object(v, c->list[i]);
        c->mirrors[i] = heap_has(&v->heap, mirror) ? heap_resolve(&v->heap, mirror) : 0;
    }
}

void frozen_classes_find(struct frozen_classes *c, const struct frozen_vm *v,
                         struct heap_classes *known)
{
    for (jint i = 0; i < c->count; i++) {
        uint64_t mirror = c->mirrors[i];
        /* learn the layout of java.lang.Class, of which every mirror is an instance */
        if (mirror && i == 0)
            heap_class_at(known, heap_klass(&v->heap, mirror));
        c->klasses[i] =
            mirror ? heap_u8(&v->heap, mirror + (uint64_t)known->facts.mirror_klass) : 0;
    }
}

void frozen_classes_forget(struct frozen_classes *c, jvmtiEnv *jvmti)
{
    if (c->list)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)c->list);
    *c = (struct frozen_classes){0};
}
