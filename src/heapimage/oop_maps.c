/*
 * oop_maps.c - see oop_maps.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapimage/oop_maps.h"
#include "hotspot/packed_ints.h"
#include "hotspot/target.h"
#include "safe/hs_code.h"

enum {
    MAPS_MAX = 1 << 20, /* of one blob */
    SET_BYTES_MAX = 64 << 20,
    REGISTERS_MAX = 0x8000,
};

static void init_set(struct oop_maps *m)
{
    const struct target *t = m->target;
    m->count = target_field(t, "ImmutableOopMapSet", "_count", -1);
    m->size = target_field(t, "ImmutableOopMapSet", "_size", -1);
    m->set_bytes = target_size(t, "ImmutableOopMapSet");
    m->pair_pc = target_field(t, "ImmutableOopMapPair", "_pc_offset", -1);
    m->pair_map = target_field(t, "ImmutableOopMapPair", "_oopmap_offset", -1);
    m->pair_bytes = target_size(t, "ImmutableOopMapPair");
    m->map_count = target_field(t, "ImmutableOopMap", "_count", -1);
    m->map_bytes = target_size(t, "ImmutableOopMap");
    m->is_known = m->size >= 0 && m->set_bytes > 0 && m->pair_pc >= 0 && m->pair_map >= 0 &&
                  m->pair_bytes > 0 && m->map_bytes > 0;
}

static void init_array(struct oop_maps *m)
{
    const struct target *t = m->target;
    m->is_array = true;
    m->count = target_field(t, "OopMapSet", "_om_count", -1);
    m->data = target_field(t, "OopMapSet", "_om_data", -1);
    m->map_pc = target_field(t, "OopMap", "_pc_offset", -1);
    m->map_count = target_field(t, "OopMap", "_omv_count", -1);
    m->map_data = target_field(t, "OopMap", "_omv_data", -1);
    m->is_known = m->data >= 0 && m->map_pc >= 0 && m->map_data >= 0;
}

/* The VM numbers registers, then slots from a multiple of 8 on. VMRegImpl::stack0 is that number,
 * or, in later releases, an address. 0: not known. */
static uint32_t find_stack0(const struct target *t)
{
    int32_t registers = target_constant(t, "ConcreteRegisterImpl::number_of_registers", -1);
    uint64_t told = target_static_value(t, "VMRegImpl", "stack0", 8);
    uint32_t stack0 = registers <= 0 ? 0 : ((uint32_t)registers + 7) & ~(uint32_t)7;
    return told != 0 && told < REGISTERS_MAX && told != stack0 ? 0 : stack0;
}

void oop_maps_init(struct oop_maps *m, const struct target *t)
{
    *m = (struct oop_maps){.target = t};
    if (target_size(t, "ImmutableOopMapSet") > 0)
        init_set(m);
    else
        init_array(m);
    m->maps = target_field(t, "CodeBlob", "_oop_maps", -1);
    m->value.type_mask = (uint32_t)target_constant(t, "OopMapValue::type_mask", 0);
    m->value.register_shift = (uint32_t)target_constant(t, "OopMapValue::register_shift", 0);
    m->value.oop = (uint32_t)target_constant(t, "OopMapValue::oop_value", -1);
    m->value.narrow = (uint32_t)target_constant(t, "OopMapValue::narrowoop_value", -1);
    m->value.saved = (uint32_t)target_constant(t, "OopMapValue::callee_saved_value", -1);
    m->value.derived = (uint32_t)target_constant(t, "OopMapValue::derived_oop_value", -1);
    m->stack0 = find_stack0(t);
    m->is_known = m->is_known && m->maps >= 0 && m->count >= 0 && m->map_count >= 0 &&
                  m->value.type_mask != 0 && m->value.register_shift > 0 &&
                  m->value.register_shift < 16 && m->value.oop <= m->value.type_mask &&
                  m->value.narrow <= m->value.type_mask && m->value.saved <= m->value.type_mask &&
                  m->value.derived <= m->value.type_mask && m->stack0 > 0 &&
                  m->stack0 < REGISTERS_MAX;
}

/* A place among the maps of a blob. */
struct set {
    uint64_t at;
    uint32_t count, bytes;
};

static int32_t pc_of(const struct oop_maps *m, const struct set *s, uint32_t i, uint64_t *ret_map)
{
    const struct target *t = m->target;
    if (m->is_array) {
        *ret_map = target_u8(t, s->at + (uint64_t)i * 8);
        return (int32_t)target_u4(t, *ret_map + (uint64_t)m->map_pc);
    }
    uint64_t pairs = s->at + (uint64_t)m->set_bytes,
             pair = pairs + (uint64_t)i * (uint32_t)m->pair_bytes;
    uint32_t offset = target_u4(t, pair + (uint64_t)m->pair_map);
    *ret_map =
        offset >= s->bytes ? 0 : pairs + (uint64_t)s->count * (uint32_t)m->pair_bytes + offset;
    return (int32_t)target_u4(t, pair + (uint64_t)m->pair_pc);
}

static bool open_set(const struct oop_maps *m, uint64_t blob, struct set *ret_set)
{
    const struct target *t = m->target;
    uint64_t at = target_u8(t, blob + (uint64_t)m->maps);
    if (at < 4096 || (at & 3) != 0)
        return false;
    struct set s = {.at = at, .count = target_u4(t, at + (uint64_t)m->count)};
    if (m->is_array)
        s.at = target_u8(t, at + (uint64_t)m->data);
    else
        s.bytes = target_u4(t, at + (uint64_t)m->size);
    *ret_set = s;
    return s.count <= MAPS_MAX && s.at >= 4096 && s.bytes <= SET_BYTES_MAX;
}

/* The maps are sorted by address. Returns the address of the map's count, or 0. */
static uint64_t find_map(const struct oop_maps *m, const struct set *s, int32_t offset)
{
    uint32_t low = 0, high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t map;
        int32_t pc = pc_of(m, s, middle, &map);
        if (pc == offset)
            return map;
        if (pc < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* Reads one entry. Returns 1 if it is a reference, 0 if it is none, -1 if it makes no sense. */
static int take_value(const struct oop_maps *m, struct packed_ints *in,
                      struct oop_maps_value *ret_value)
{
    uint32_t word = packed_ints_take(in) & 0xffff, type = word & m->value.type_mask;
    uint32_t number = word >> m->value.register_shift;
    if (in->is_cut)
        return -1;
    if (type == m->value.saved || type == m->value.derived) {
        packed_ints_take(in); /* the register that is saved here, or the object's place */
        return in->is_cut ? -1 : 0;
    }
    if (type != m->value.oop && type != m->value.narrow)
        return m->is_array ? 0 : -1; /* JDK 8 lists values that are no references, too */
    *ret_value = (struct oop_maps_value){.number = number < m->stack0 ? number : number - m->stack0,
                                         .is_register = number < m->stack0,
                                         .is_narrow = type == m->value.narrow};
    return 1;
}

int32_t oop_maps_find(const struct oop_maps *m, const struct hs_blob *blob, uint64_t pc,
                      struct oop_maps_value ret_values[OOP_MAPS_VALUES])
{
    struct set set;
    struct packed_ints in;
    int32_t found = 0;
    if (!m->is_known || pc < blob->code || pc - blob->code > INT32_MAX ||
        !open_set(m, blob->start, &set))
        return -1;
    uint64_t map = find_map(m, &set, (int32_t)(pc - blob->code));
    if (map < 4096)
        return -1;
    uint32_t count = target_u4(m->target, map + (uint64_t)m->map_count);
    uint64_t data = m->is_array ? target_u8(m->target, map + (uint64_t)m->map_data)
                                : map + (uint64_t)m->map_bytes;
    if (count > OOP_MAPS_VALUES || (count > 0 && data < 4096))
        return -1;
    packed_ints_begin(&in, m->target, data);
    for (uint32_t i = 0; i < count; i++) {
        int is_one = take_value(m, &in, &ret_values[found]);
        if (is_one < 0)
            return -1;
        found += is_one;
    }
    return found;
}
