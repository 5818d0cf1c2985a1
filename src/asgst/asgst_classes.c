/*
 * asgst_classes.c - see asgst_classes.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_classes.h"
#include "safe/mem_self.h"

#define LOADERS_MAX 10000000
#define CLASSES_MAX 10000000
#define CLD_BYTES 256
#define SAMPLE 20

static int is_class_of(const struct asgst_classes *c, struct mem_view *v, uint64_t klass,
                       uint64_t cld)
{
    return asgst_meta_is_class(v, c->vm->layout, klass) &&
           mem_view_u8(v, klass + (uint64_t)c->vm->facts.klass_cld) == cld;
}

/* A word of a loader that leads to a chain of classes of this loader, and to nothing else. */
static int is_class_list(const struct asgst_classes *c, uint64_t cld, int32_t at)
{
    struct mem_view v = {.mem = &mem_self};
    uint64_t klass = mem_view_u8(&v, cld + (uint64_t)at);
    int found = 0;
    for (; found < SAMPLE && klass != 0; found++) {
        if (!is_class_of(c, &v, klass, cld))
            return 0;
        klass = mem_view_u8(&v, klass + (uint64_t)c->klass_next);
    }
    return found == SAMPLE;
}

int asgst_classes_open(struct asgst_classes *c, const struct asgst_vm *vm)
{
    struct mem_view v = {.mem = &mem_self};
    const struct hs_layout *l = vm->layout;
    *c = (struct asgst_classes){vm, l->cld_klasses, l->klass_next_link};
    if (vm->facts.klass_cld < 0 || vm->facts.klass_layout_helper < 0 || l->cld_head == 0 ||
        l->cld_next < 0 || l->klass_methods < 0)
        return 0;
    /* Klass::_next_link stands before _class_loader_data. Source: klass.hpp of JDK 8. */
    if (c->klass_next < 0)
        c->klass_next = vm->facts.klass_cld - 8;
    uint64_t cld = mem_view_u8(&v, l->cld_head);
    for (int i = 0; cld != 0 && i < LOADERS_MAX; i++) {
        for (int32_t at = 8; c->cld_klasses < 0 && at < CLD_BYTES; at += 8) {
            if (is_class_list(c, cld, at))
                c->cld_klasses = at;
        }
        if (c->cld_klasses >= 0)
            return 1;
        cld = mem_view_u8(&v, cld + (uint64_t)l->cld_next);
    }
    return 0;
}

int asgst_classes_each(const struct asgst_classes *c, void (*visit)(uint64_t klass, void *arg),
                       void *arg)
{
    struct mem_view v = {.mem = &mem_self};
    const struct hs_layout *l = c->vm->layout;
    uint64_t cld = mem_view_u8(&v, l->cld_head);
    uint32_t classes = 0;
    for (int i = 0; cld != 0; i++) {
        uint64_t klass = mem_view_u8(&v, cld + (uint64_t)c->cld_klasses);
        while (klass != 0) {
            if (!is_class_of(c, &v, klass, cld) || ++classes > CLASSES_MAX)
                return 0;
            if (mem_view_s4(&v, klass + (uint64_t)c->vm->facts.klass_layout_helper) > 0)
                visit(klass, arg);
            klass = mem_view_u8(&v, klass + (uint64_t)c->klass_next);
        }
        cld = mem_view_u8(&v, cld + (uint64_t)l->cld_next);
        if (v.faults != 0 || i > LOADERS_MAX)
            return 0;
    }
    return v.faults == 0;
}
