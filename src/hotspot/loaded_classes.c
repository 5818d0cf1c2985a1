/*
 * loaded_classes.c - see loaded_classes.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/loaded_classes.h"
#include "base/err.h"
#include "hotspot/target.h"
#include "safe/mem.h"
#include "safe/release.h"

enum {
    /* No VM has more; a list that leads back to itself ends here. */
    STEPS_MAX = 1 << 23,
    STATE_ALLOCATED = 0, /* InstanceKlass::_init_state */
};

/* Offsets in the VM's structs; -1: not in this release. */
struct facts {
    int32_t head_klass, next_data, loader, holder; /* in a ClassLoaderData */
    int32_t next_klass, klass_data, layout_helper; /* in a Klass */
    int32_t state;                                 /* in an InstanceKlass */
};

/* JDK 8 does not describe two links. In a ClassLoaderData the list of classes stands four words
 * before the next ClassLoaderData; in a Klass the next class of the list stands right before the
 * ClassLoaderData. A wrong place would show at the first class, which would name another loader. */
static const char *find_facts(const struct target *t, struct facts *f)
{
    bool is_old = t->layout->version < RELEASE_MIRROR_HANDLES;
    f->klass_data = target_field(t, "Klass", "_class_loader_data", -1);
    if (f->klass_data < 0)
        f->klass_data = target_field(t, "InstanceKlass", "_class_loader_data", -1);
    f->next_data = t->layout->cld_next;
    f->head_klass = t->layout->cld_klasses;
    if (f->head_klass < 0 && is_old && f->next_data >= 32)
        f->head_klass = f->next_data - 32;
    f->next_klass = t->layout->klass_next_link;
    if (f->next_klass < 0 && is_old && f->klass_data >= 8)
        f->next_klass = f->klass_data - 8;
    f->loader = target_field(t, "ClassLoaderData", "_class_loader", -1);
    f->holder = target_field(t, "ClassLoaderData", "_has_class_mirror_holder", -1);
    if (f->holder < 0)
        f->holder = target_field(t, "ClassLoaderData", "_is_anonymous", -1);
    if (f->holder < 0 && is_old) /* JDK 8: three flags of one byte stand in front of a number, then
                                  * comes the list */
        f->holder = f->head_klass - 6;
    f->layout_helper = target_field(t, "Klass", "_layout_helper", -1);
    f->state = target_field(t, "InstanceKlass", "_init_state", -1);
    return t->layout->cld_head == 0 ? "ClassLoaderDataGraph::_head"
           : f->next_data < 0       ? "ClassLoaderData::_next"
           : f->head_klass < 0      ? "ClassLoaderData::_klasses"
           : f->next_klass < 0      ? "Klass::_next_link"
           : f->klass_data < 0      ? "Klass::_class_loader_data"
           : f->loader < 0          ? "ClassLoaderData::_class_loader"
           : f->layout_helper < 0   ? "Klass::_layout_helper"
           : f->state < 0           ? "InstanceKlass::_init_state"
                                    : "";
}

static uint8_t byte_at(const struct target *t, uint64_t addr)
{
    uint8_t value = 0;
    return mem_read(t->mem, addr, &value, 1) < 0 ? 0 : value;
}

/* Whether this is the data of the boot loader, which has no object. (A loader that was collected
 * has none either; then its classes are no longer in use.) */
static bool is_of_boot(const struct target *t, const struct facts *f, uint64_t data)
{
    uint64_t loader = target_u8(t, data + (uint64_t)f->loader);
    if (loader != 0 && t->layout->version >= RELEASE_MIRROR_HANDLES)
        loader = target_u8(t, loader);
    return loader == 0 && (f->holder < 0 || byte_at(t, data + (uint64_t)f->holder) == 0);
}

/* Whether the class is loaded. The class of an array always is. */
static bool is_loaded(const struct target *t, const struct facts *f, uint64_t klass)
{
    int32_t layout = (int32_t)target_u4(t, klass + (uint64_t)f->layout_helper);
    return layout < 0 || byte_at(t, klass + (uint64_t)f->state) != STATE_ALLOCATED;
}

int loaded_classes_each(const struct target *t, loaded_classes_seen *seen, void *arg,
                        uint32_t *ret_broken, const char **ret_missing)
{
    struct facts f;
    uint32_t steps = 0;
    *ret_broken = 0;
    *ret_missing = find_facts(t, &f);
    if (**ret_missing)
        return E_FACT_MISSING;
    uint64_t data = target_u8(t, t->layout->cld_head);
    for (; data != 0 && steps < STEPS_MAX; steps++) {
        bool is_boots = is_of_boot(t, &f, data);
        uint64_t klass = target_u8(t, data + (uint64_t)f.head_klass);
        for (; klass != 0 && steps < STEPS_MAX; steps++) {
            struct loaded_class c = {.klass = klass, .loader_data = data, .is_boots = is_boots};
            if (target_u8(t, klass + (uint64_t)f.klass_data) != data) {
                (*ret_broken)++;
                break;
            }
            int result = is_loaded(t, &f, klass) ? seen(arg, &c) : 0;
            if (result != 0)
                return result;
            klass = target_u8(t, klass + (uint64_t)f.next_klass);
        }
        data = target_u8(t, data + (uint64_t)f.next_data);
    }
    *ret_broken += steps == STEPS_MAX;
    return 0;
}
