/*
 * oop_maps.h - where the references of a compiled frame are: the compiler's oop map for the place
 * at which the frame will go on.
 *
 * A map lists slots of 4 bytes, counted from the frame's stack pointer, and registers. A slot
 * beyond the frame's own size is an argument that the caller has put on the stack. Derived
 * pointers (into an object) are left out: the map lists their objects, too.
 * Since JDK 9 the maps of a blob are one block of memory (ImmutableOopMapSet); JDK 8 has an array
 * of pointers to maps (OopMapSet).
 * Source: HotSpot oopMap.hpp, oopMap.cpp, vmreg.hpp, frame.cpp (oops_code_blob_do).
 * Context of everything here: any, not signal. Nothing here allocates.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct hs_blob;
struct target;

/** What this VM tells of its maps; found once. */
struct oop_maps {
    const struct target *target;
    bool is_known;
    bool is_array;             /* JDK 8: an array of pointers */
    int32_t maps;              /* offset in a CodeBlob */
    int32_t count, size, data; /* offsets in the set; `data`: of the pointers of JDK 8 */
    int32_t pair_pc, pair_map, pair_bytes, set_bytes;
    int32_t map_pc, map_count, map_data, map_bytes; /* offsets in a map, and its size */
    struct {
        uint32_t register_shift, type_mask, oop, narrow, saved, derived;
    } value;         /* how an entry of a map is written */
    uint32_t stack0; /* the first number that is a slot and not a register */
};

enum { OOP_MAPS_VALUES = 2048 };

struct oop_maps_value {
    uint32_t number; /* of a slot, or of a register */
    bool is_register, is_narrow;
};

void oop_maps_init(struct oop_maps *m, const struct target *t);

/**
 * The references of a frame of `blob` that goes on at `pc`. Returns how many there are; -1: there
 * is no map for exactly this address, it makes no sense, or it has more than OOP_MAPS_VALUES
 * entries.
 */
int32_t oop_maps_find(const struct oop_maps *m, const struct hs_blob *blob, uint64_t pc,
                      struct oop_maps_value ret_values[OOP_MAPS_VALUES]);
