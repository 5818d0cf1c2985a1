/*
 * lock_debug.c - see lock_debug.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/lock_debug.h"
#include "hotspot/code_scopes.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"

enum { MONITORS_MAX = 64 };

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

/* Read the monitors of a scope. */
static uint32_t read_monitors(const struct oops *o, const struct code_scopes *s, uint32_t monitors,
                              uint64_t sp, uint64_t *objects)
{
    struct packed_ints p;
    uint32_t found = 0;
    code_scopes_begin(s, monitors, &p);
    uint32_t count = packed_ints_take(&p);
    for (uint32_t i = 0; i < count && i < MONITORS_MAX; i++) {
        packed_ints_take(&p); /* the place of the lock record */
        uint32_t kind = packed_ints_take(&p), value = packed_ints_take(&p);
        if (kind != VALUE_LOCATION && kind != VALUE_CONSTANT_OOP)
            break;
        uint32_t is_eliminated = packed_ints_byte(&p);
        uint64_t object = kind == VALUE_LOCATION ? reference_at(o, value, sp) : 0;
        if (object != 0 && !is_eliminated)
            objects[found++] = object;
    }
    return found;
}

uint32_t lock_debug_find(const struct oops *o, uint64_t pc, uint64_t sp, struct lock_debug *found,
                         uint32_t max, bool *ret_is_bare)
{
    struct code_scopes s;
    struct code_scope scope;
    uint32_t count = 0;
    bool has_more = code_scopes_at(o->target, pc, &s);
    *ret_is_bare = true;
    for (uint32_t level = 0; has_more && level < CODE_SCOPES_LEVELS; level++) {
        uint64_t objects[MONITORS_MAX];
        (void)code_scopes_read(&s, &scope);
        *ret_is_bare &= scope.monitors == 0;
        uint32_t n = scope.monitors ? read_monitors(o, &s, scope.monitors, sp, objects) : 0;
        for (uint32_t i = 0; i < n && count < max; i++)
            found[count++] = (struct lock_debug){objects[i], level};
        has_more = code_scopes_leave(&s, &scope);
    }
    return count;
}
