/*
 * frozen_vm.c - see frozen_vm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_vm.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/pages.h"
#include "heapwalk/heap_class.h"
#include "vm/vm_env.h"
#include "vm/vm_lookup.h"

enum {
    MAPS_LINE = 512,
    MODE = 5, /* a blank, and r, w, x, p or s */
};

/* Whether no part of the heap is mapped shared. A fork does not freeze a shared heap. */
static bool heap_is_private(const struct heap *h)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[MAPS_LINE];
    bool is_private = maps != NULL;
    while (maps && fgets(line, sizeof(line), maps)) {
        char *at; /* "low-high rwxp offset ..." in hexadecimal */
        uint64_t low = strtoull(line, &at, 16);
        uint64_t high = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
        if (low < h->high && high > h->low && strnlen(at, MODE) == MODE && at[MODE - 1] != 'p')
            is_private = false;
    }
    if (maps)
        fclose(maps);
    return is_private;
}

static int read_vm(struct frozen_vm *v, const char **ret_why)
{
    struct heap_classes classes;
    struct arena arena;
    int error;
    arena_init(&arena, 1 << 20);
    error = target_open_self(&v->target, ret_why);
    if (!error)
        error = heap_open(&v->target, &v->heap, ret_why);
    if (!error)
        error = heap_class_init(&classes, &v->heap, &arena, ret_why);
    arena_done(&arena);
    if (error)
        return error;
    if (!frozen_vm_is_copied(v) && !heap_is_private(&v->heap)) {
        *ret_why = "its heap is mapped shared, a fork would not freeze it";
        return E_UNSUPPORTED;
    }
    if (frozen_vm_is_copied(v))
        vm_roots_open(&v->own_roots, &v->target);
    v->range_max = heap_ranges_max(&v->heap);
    v->ranges = pages_map(v->range_max * sizeof(*v->ranges));
    if (!v->ranges) {
        *ret_why = "no memory";
        return -ENOMEM;
    }
    return 0;
}

/* Makes the sentinel: an Object[1] with one element. No other code looks at its contents. */
static jobject make_sentinel(JNIEnv *env)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass object = vm_lookup_class(&l, "java/lang/Object");
    jobject made = object ? (*env)->AllocObject(env, object) : NULL;
    jobject sentinel;
    vm_lookup_end_with(&l, made ? (*env)->NewObjectArray(env, 1, object, made) : NULL, &sentinel);
    return sentinel;
}

/* All users share one sentinel, so that no dump has the sentinel of another dump among its roots.
 */
static struct {
    jobject sentinel;
    int users;
} kept;

bool frozen_vm_keep(JNIEnv *env)
{
    if (!kept.sentinel)
        kept.sentinel = make_sentinel(env);
    kept.users += kept.sentinel != NULL;
    return kept.sentinel != NULL;
}

void frozen_vm_unkeep(JNIEnv *env)
{
    if (kept.users > 0 && --kept.users == 0) {
        (*env)->DeleteGlobalRef(env, kept.sentinel);
        kept.sentinel = NULL;
    }
}

int frozen_vm_open(struct frozen_vm *v, const struct vm *vm, JNIEnv *env, bool may_fork)
{
    const char *why = "";
    if (vm_env_open(vm, VM_ENV_SET(VM_CAN_TAG_OBJECTS), &v->jvmti, NULL) != 0 ||
        !frozen_vm_keep(env) || !(v->sentinel = kept.sentinel) ||
        (*v->jvmti)->SetTag(v->jvmti, v->sentinel, FROZEN_VM_SENTINEL) != JVMTI_ERROR_NONE) {
        v->jvmti = NULL;
        return E_UNSUPPORTED;
    }
    struct vm_lookup l = vm_lookup_begin(env);

    v->thread_id = vm_lookup_field(&l, vm_lookup_class(&l, "java/lang/Thread"), "tid", "J");
    vm_lookup_end(&l);
    if (!may_fork) {
        snprintf(v->why_not, sizeof(v->why_not), FROZEN_VM_NO_FORK);
        return 0;
    }
    int error = read_vm(v, &why);

    v->can_fork = !error;
    snprintf(v->why_not, sizeof(v->why_not), "%s", why[0] ? why : err_text(error));
    return 0;
}

void frozen_vm_close(struct frozen_vm *v, JNIEnv *env)
{
    vm_env_close(v->jvmti);
    if (v->sentinel)
        frozen_vm_unkeep(env);
    if (v->ranges)
        pages_unmap(v->ranges, v->range_max * sizeof(*v->ranges));
    target_close(&v->target);
    memset(v, 0, sizeof(*v));
}

uint64_t frozen_vm_object(const struct frozen_vm *v, jobject ref)
{
    return ref ? heap_of_word(&v->heap, *(const uint64_t *)((uintptr_t)ref & ~(uintptr_t)7)) : 0;
}
