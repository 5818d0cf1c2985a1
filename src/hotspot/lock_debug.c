/*
 * lock_debug.c - see lock_debug.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/lock_debug.h"
#include "hotspot/oops.h"
#include "hotspot/packed_ints.h"
#include "hotspot/target.h"
#include "safe/hs_code.h"

enum {
    LEVELS_MAX = 512,
    MONITORS_MAX = 64,
};

/* Kinds of ScopeValue of a monitor's owner. Other kinds cannot be skipped: they end the list. */
enum { VALUE_LOCATION = 0, VALUE_CONSTANT_OOP = 2 };

/* The reference in a location of the frame; 0: there is none, or it is not in memory. */
static uint64_t reference_at(const struct oops *o, uint32_t location, uint64_t sp)
{
    const struct target *t = o->target;
    uint32_t type = location & 15, is_register = location >> 4 & 1;
    uint64_t addr = sp + (uint64_t)(location >> 5) * 4;
    if (is_register)
        return 0;
    if (type == (uint32_t)target_constant(t, "Location::narrowoop", -1))
        return oops_of_narrow(o, target_u4(t, addr));
    if (type == (uint32_t)target_constant(t, "Location::oop", -1))
        return oops_of_lock_word(o, target_u8(t, addr));
    return 0;
}

/* Read the monitors of the scope at `offset`. A scope has sender, method, bci, locals, expressions,
 * monitors. */
static uint32_t read_monitors(const struct oops *o, const struct hs_nmethod *nm, uint32_t offset,
                              uint64_t sp, uint64_t *objects, uint32_t *ret_sender, bool *is_bare)
{
    struct packed_ints s;
    uint32_t found = 0;
    packed_ints_begin(&s, o->target, nm->scopes + offset);
    *ret_sender = packed_ints_take(&s);
    for (int i = 0; i < 4; i++)
        packed_ints_take(&s);
    uint32_t monitors = packed_ints_take(&s);
    if (monitors == 0)
        return 0;
    *is_bare = false;
    packed_ints_begin(&s, o->target, nm->scopes + monitors);
    uint32_t count = packed_ints_take(&s);
    for (uint32_t i = 0; i < count && i < MONITORS_MAX; i++) {
        packed_ints_take(&s); /* the place of the lock record */
        uint32_t kind = packed_ints_take(&s), value = packed_ints_take(&s);
        if (kind != VALUE_LOCATION && kind != VALUE_CONSTANT_OOP)
            break;
        uint32_t is_eliminated = packed_ints_byte(&s);
        uint64_t object = kind == VALUE_LOCATION ? reference_at(o, value, sp) : 0;
        if (object != 0 && !is_eliminated)
            objects[found++] = object;
    }
    return found;
}

/* The decode offset of the scope at return address `pc`; 0: none. */
static uint32_t scope_offset(const struct oops *o, const struct hs_blob *blob,
                             const struct hs_nmethod *nm, uint64_t pc)
{
    const struct target *t = o->target;
    const struct hs_layout *l = t->layout;
    uint64_t size = (uint64_t)l->pcdesc_size;
    if (nm->pcs_end <= nm->pcs || nm->pcs_end - nm->pcs > 0x10000000)
        return 0;
    uint32_t low = 0, high = (uint32_t)((nm->pcs_end - nm->pcs) / size);
    int32_t rel = (int32_t)(pc - blob->code);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t desc = nm->pcs + middle * size;
        int32_t at = (int32_t)target_u4(t, desc + (uint64_t)l->pcdesc_pc);
        if (at == rel)
            return target_u4(t, desc + (uint64_t)l->pcdesc_scope);
        if (at < rel)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

uint32_t lock_debug_find(const struct oops *o, uint64_t pc, uint64_t sp, struct lock_debug *found,
                         uint32_t max, bool *ret_is_bare)
{
    struct mem_view view = {.mem = o->target->mem};
    struct hs_blob blob;
    struct hs_nmethod nm;
    uint32_t count = 0;
    *ret_is_bare = true;
    if (!hs_code_find(&view, o->target->layout, pc, &blob) || blob.kind != HS_BLOB_NMETHOD)
        return 0;
    hs_code_nmethod(&view, o->target->layout, &blob, &nm);
    uint32_t offset = scope_offset(o, &blob, &nm, pc);
    for (uint32_t level = 0; (int32_t)offset > 0 && level < LEVELS_MAX; level++) {
        uint64_t objects[MONITORS_MAX];
        uint32_t sender, n = read_monitors(o, &nm, offset, sp, objects, &sender, ret_is_bare);
        for (uint32_t i = 0; i < n && count < max; i++)
            found[count++] = (struct lock_debug){objects[i], level};
        offset = sender < offset ? sender : 0;
    }
    return count;
}
