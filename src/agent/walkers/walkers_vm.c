/*
 * walkers_vm.c - walker=vm: HotSpot's own structures, read by safe/walk_vm.c.
 *
 * Needs no jmethodIDs and no class events: the handler copies a method's names on first sight, and
 * whoever reads the samples sees to it that there is room for them (safe/hs_names.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/names.h"
#include "agent/walkers/walkers.h"
#include "base/err.h"
#include "base/pages.h"
#include "hotspot/hotspot.h"
#include "safe/hs_names.h"
#include "safe/walk_native.h"
#include "safe/walk_vm.h"

static struct hotspot *vm;
static struct hs_names names;
static void *name_memory;
static size_t name_bytes;
static struct frame_cache frames[2]; /* by the index of the name; for each half of `names` */

static int prepare(struct agent *a, JNIEnv *env, const char **ret_why)
{
    if (hotspot_open_self(&vm, ret_why) != 0)
        return E_FACT_MISSING;
    name_bytes = budget_bytes(a->options.mem_bytes, BUDGET_METHODS);
    name_memory = pages_map(name_bytes);
    if (!name_memory) {
        *ret_why = "no memory for names: lower mem=";
        hotspot_close(vm);
        return E_LIMIT;
    }
    hs_names_init(&names, &vm->layout, name_memory, name_bytes);
    walk_vm_prepare(&vm->memory, &names);
    walk_native_prepare(&vm->memory, &names);
    for (int i = 0; i < 2; i++)
        frame_cache_init(&frames[i], budget_bytes(a->options.mem_bytes, BUDGET_FOUND) / 2);
    return 0;
}

/* Dots for slashes, and for the plus sign in the names of hidden classes, as JVM TI writes them. */
static string_id class_name(struct agent *a, const struct hs_names_method *m)
{
    char short_name[512] = "", *name = short_name;
    string_id id;

    if (m->class_name_len > sizeof(short_name))
        name = malloc(m->class_name_len);
    if (!name)
        return 0;
    for (uint32_t i = 0; i < m->class_name_len; i++)
        name[i] = m->class_name[i] == '/' || m->class_name[i] == '+' ? '.' : m->class_name[i];
    id = profile_string(a->profile, name, m->class_name_len);
    if (name != short_name)
        free(name);
    return id;
}

static method_id add_method(struct agent *a, uint32_t index)
{
    struct hs_names_method m;
    class_id klass;

    if (!hs_names_get(&names, index, &m))
        return 0;
    klass = names_class_named(a, class_name(a, &m));
    if (!klass)
        return 0;
    return profile_method(
        a->profile, klass, profile_string(a->profile, m.name, m.name_len),
        profile_string(a->profile, m.signature, m.signature_len),
        m.source_file_len ? profile_string(a->profile, m.source_file, m.source_file_len) : 0);
}

static frame_id frame(struct agent *a, const struct walk_frame *f)
{
    uint32_t index = (uint32_t)f->method;
    struct frame_cache *cache = &frames[hs_names_half_of(&names, index)];
    frame_id known = frame_cache_find(cache, index, f->bci);
    method_id method;
    int32_t bci = f->bci == -1 ? 0 : f->bci; /* the entry, as JVM TI counts it */

    if (known || index == 0)
        return known;
    method = add_method(a, index);
    if (!method)
        return 0;
    return frame_cache_add(cache, index, f->bci,
                           profile_frame(a->profile, method, f->bci,
                                         a->options.lineno && bci >= 0
                                             ? hs_names_line(&names, index, bci)
                                             : PROFILE_LINE_NONE));
}

static void read_ring(const struct ring *ring)
{
    int emptied;

    if (hs_names_turn(&names, ring, &emptied))
        frame_cache_forget(&frames[emptied]);
}

static void count(struct agent *a)
{
    profile_set_quality(a->profile, "names_full", atomic_load(&names.full));
    profile_set_quality(a->profile, "names_unreadable", atomic_load(&names.unreadable));
    profile_set_quality(a->profile, "names_given_back", names.given_back);
}

static void release(void)
{
    for (int i = 0; i < 2; i++)
        frame_cache_done(&frames[i]);
    pages_unmap(name_memory, name_bytes);
    hotspot_close(vm);
}

const struct walkers walkers_vm = {
    .name = "vm",
    .help = "reads HotSpot's own structures: walks from any instruction, needs no jmethodIDs",
    .walker = &walk_vm,
    .native_walker = &walk_native,
    .prepare = prepare,
    .frame = frame,
    .read = read_ring,
    .count = count,
    .release = release,
};
