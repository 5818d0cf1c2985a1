/*
 * frame_vm.c - see frame_vm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/frame_vm.h"
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/budget.h"
#include "agent/names/frame_room.h"
#include "agent/names/names.h"
#include "agent/recording/recording.h"
#include "base/pages.h"
#include "safe/hs_names.h"

static struct {
    struct hs_names names;
    void *memory;
    size_t bytes;
    /* how often each half was emptied; each time its indices begin a new era */
    uint32_t emptied[2];
} vm;

struct hs_names *frame_vm_open(const struct hs_layout *layout, uint64_t mem_bytes)
{
    vm.bytes = budget_bytes(mem_bytes, BUDGET_METHODS);
    vm.memory = pages_map(vm.bytes);
    if (!vm.memory)
        return NULL;
    hs_names_init(&vm.names, layout, vm.memory, vm.bytes);
    return &vm.names;
}

void frame_vm_close(void)
{
    pages_unmap(vm.memory, vm.bytes);
    vm.memory = NULL;
    vm.emptied[0]++;
    vm.emptied[1]++;
}

/* The name of a class as JVM TI writes it: with dots in place of slashes, and in place of the plus
 * sign in the name of a hidden class. */
static string_id class_name(struct agent *a, const struct hs_names_method *m)
{
    char short_name[512] = "", *text = short_name;
    if (m->class_name_len > sizeof(short_name))
        text = malloc(m->class_name_len);
    if (!text)
        return 0;
    for (uint32_t i = 0; i < m->class_name_len; i++)
        text[i] = m->class_name[i] == '/' || m->class_name[i] == '+' ? '.' : m->class_name[i];
    string_id id = profile_string(a->profile, text, m->class_name_len);
    if (text != short_name)
        free(text);
    return id;
}

static method_id add_method(struct agent *a, uint32_t index)
{
    struct hs_names_method m;
    if (!hs_names_get(&vm.names, index, &m))
        return 0;
    class_id klass = names_class_named(a, class_name(a, &m));
    if (!klass)
        return 0;
    return profile_method(
        a->profile, klass, profile_string(a->profile, m.name, m.name_len),
        profile_string(a->profile, m.signature, m.signature_len),
        m.source_file_len ? profile_string(a->profile, m.source_file, m.source_file_len) : 0);
}

static frame_id name(struct agent *a, const struct walk_frame *f)
{
    uint32_t index = (uint32_t)f->method;
    /* bci 0 is the entry of the method, as JVM TI counts it */
    int32_t bci = f->bci == -1 ? 0 : f->bci;
    int32_t line = PROFILE_LINE_NONE;
    method_id method = add_method(a, index);
    if (!method)
        return 0;
    if (a->options.lineno && bci >= 0)
        line = hs_names_line(&vm.names, index, bci);
    return profile_frame(a->profile, method, f->bci, line);
}

static uint32_t era(const struct walk_frame *f)
{
    return vm.emptied[hs_names_half_of(&vm.names, (uint32_t)f->method)];
}

void frame_vm_turn(const struct ring *const *rings, uint32_t count)
{
    int half;
    if (hs_names_turn(&vm.names, rings, count, &half))
        vm.emptied[half]++;
}

void frame_vm_count(struct recording *r)
{
    recording_set_quality(r, QUALITY_NAMES_FULL, atomic_load(&vm.names.full));
    recording_set_quality(r, QUALITY_NAMES_UNREADABLE, atomic_load(&vm.names.unreadable));
    recording_set_quality(r, QUALITY_NAMES_GIVEN_BACK, vm.names.given_back);
}

const struct frame_namer frame_vm = {.names = WALK_NAMES_VM, .name = name, .era = era};
