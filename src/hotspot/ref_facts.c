/*
 * ref_facts.c - see ref_facts.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/ref_facts.h"
#include "hotspot/target.h"
#include "hotspot/vm_flags.h"
#include "safe/hs_refs.h"
#include "safe/mem.h"
#include "safe/release.h"

enum {
    /* the fields of a heap, among which its generations are searched */
    HEAP_BYTES_MAX = 1 << 20,
    GRANULES_MAX = 1 << 24,
};

static bool is_flag(const struct target *t, const char *name)
{
    return vm_flags_number(t, name, 1, 0) != 0;
}

static void find_bases(const struct target *t, struct hs_refs *r)
{
    static const char *const types[][3] = {
        {"CompressedOops", "_base", "_shift"},
        {"CompressedOops", "_narrow_oop._base", "_narrow_oop._shift"},
        {"Universe", "_narrow_oop._base", "_narrow_oop._shift"},
    };
    static const char *const klass_types[][3] = {
        {"CompressedKlassPointers", "_base", "_shift"},
        {"CompressedKlassPointers", "_narrow_klass._base", "_narrow_klass._shift"},
        {"Universe", "_narrow_klass._base", "_narrow_klass._shift"},
    };
    for (int i = 0; i < 3; i++) {
        if (target_static(t, types[i][0], types[i][1]) != 0) {
            r->base = target_static_value(t, types[i][0], types[i][1], 8);
            r->shift = (uint32_t)target_static_value(t, types[i][0], types[i][2], 4) & 31;
            break;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (target_static(t, klass_types[i][0], klass_types[i][1]) != 0) {
            r->klass_base = target_static_value(t, klass_types[i][0], klass_types[i][1], 8);
            r->klass_shift =
                (uint32_t)target_static_value(t, klass_types[i][0], klass_types[i][2], 4) & 31;
            break;
        }
    }
}

/* The names of ZGC's classes and fields. */
struct z_names {
    const char *globals, *instance, *offset_mask, *good_mask, *colours;
    const char *collected_heap, *heap, *forwarding_table, *granule_map, *granule_shift;
    const char *forwarding, *memory, *array;
};

#define Z_NAMES(letter, good, metadata)                                                            \
    {                                                                                              \
        .globals = letter "GlobalsForVMStructs", .instance = "_instance_p",                        \
        .offset_mask = "_" letter "AddressOffsetMask", .good_mask = (good), .colours = (metadata), \
        .collected_heap = letter "CollectedHeap", .heap = letter "Heap",                           \
        .forwarding_table = letter "ForwardingTable",                                              \
        .granule_map = letter "GranuleMapForForwarding",                                           \
        .granule_shift = letter "GranuleSizeShift", .forwarding = letter "Forwarding",             \
        .memory = letter "VirtualMemory", .array = letter "AttachedArrayForForwarding",            \
    }

/* In JDK 21 the names of single-generation ZGC begin with an X. Before JDK 21 it has the names that
 * generational ZGC has later. */
static const struct z_names z_one = Z_NAMES("X", "_XAddressGoodMask", "_XAddressMetadataMask");
static const struct z_names z_first = Z_NAMES("Z", "_ZAddressGoodMask", "_ZAddressMetadataMask");
static const struct z_names z_two = Z_NAMES("Z", "_ZPointerLoadGoodMask", NULL);

/* The address of a variable of ZGC; 0: none. A static field points to an instance, whose fields are
 * pointers to the variables. */
static uint64_t z_variable(const struct target *t, const struct z_names *n, const char *name)
{
    uint64_t instance = target_static_value(t, n->globals, n->instance, 8);
    int32_t at = target_field(t, n->globals, name, -1);
    return at < 0 || instance == 0 ? 0 : target_u8(t, instance + (uint64_t)at);
}

static uint64_t z_value(const struct target *t, const struct z_names *n, const char *name)
{
    uint64_t at = z_variable(t, n, name);
    return at == 0 ? 0 : target_u8(t, at);
}

/* Read the table at `at`: its number of granules, and their array. Returns 1, or 0. */
static int read_table(const struct target *t, const struct z_names *n, uint64_t at,
                      struct hs_refs_table *ret)
{
    int32_t map = target_field(t, n->forwarding_table, "_map", -1);
    int32_t array = target_field(t, n->granule_map, "_map", -1);
    if (map < 0 || array < 8)
        return 0;
    at += (uint64_t)map + (uint64_t)array;
    ret->granules = target_u8(t, at - 8);
    ret->map = target_u8(t, at);
    return ret->map != 0 && ret->granules > 0 && ret->granules <= GRANULES_MAX;
}

/*
 * Find the tables of the two generations, whose places are in no table of the VM. A generation has,
 * in this order: its number (0 young, 1 old), pointers to the heap's page allocator and page table,
 * and its own table. The heap holds the two generations.
 */
static int find_generations(const struct target *t, uint64_t heap, uint64_t end, struct hs_refs *r)
{
    int32_t allocator = target_field(t, "ZHeap", "_page_allocator", -1);
    int32_t pages = target_field(t, "ZHeap", "_page_table", -1);
    unsigned found = 0;
    if (allocator < 0 || pages < 0)
        return 0;
    for (uint64_t at = heap + 8; at + 32 <= end; at += 8) {
        if (target_u8(t, at) != heap + (uint64_t)allocator ||
            target_u8(t, at + 8) != heap + (uint64_t)pages)
            continue;
        unsigned id = target_u4(t, at - 8) & 0xff;
        if (id > 1 || (found & 1u << id) != 0 || !read_table(t, &z_two, at + 16, &r->tables[id]))
            return 0;
        found |= 1u << id;
    }
    return found == 3;
}

static int find_z(const struct target *t, const struct z_names *n, struct hs_refs *r)
{
    uint64_t collected = target_static_value(t, "Universe", "_collectedHeap", 8);
    int32_t heap_at = target_field(t, n->collected_heap, "_heap", -1);
    int32_t size = target_size(t, n->collected_heap);
    int32_t memory = target_field(t, n->memory, "_start", -1);
    int32_t start = target_field(t, n->forwarding, "_virtual", -1);
    int32_t entries = target_field(t, n->forwarding, "_entries", -1);
    int32_t length = target_field(t, n->array, "_length", -1);
    r->forwarding.align = target_field(t, n->forwarding, "_object_alignment_shift", -1);
    r->forwarding.size = target_size(t, n->forwarding);
    r->forwarding.start = start + memory;
    r->forwarding.length = entries + length;
    r->granule_shift = (uint32_t)target_constant(t, n->granule_shift, 0) & 63;
    r->good_at = z_variable(t, n, n->good_mask);
    r->offset_mask = z_value(t, n, n->offset_mask);
    if (collected == 0 || heap_at < 0 || size <= heap_at || size > HEAP_BYTES_MAX || start < 0 ||
        memory < 0 || entries < 0 || length < 0 || r->forwarding.align < 0 ||
        r->forwarding.size <= r->forwarding.length || r->granule_shift == 0 || r->good_at == 0 ||
        r->offset_mask == 0)
        return 0;
    uint64_t heap = collected + (uint64_t)heap_at;
    if (n == &z_two)
        return find_generations(t, heap, collected + (uint64_t)size, r);
    int32_t table = target_field(t, n->heap, "_forwarding_table", -1);
    r->colours = z_value(t, n, n->colours);
    return r->colours != 0 && table >= 0 && read_table(t, n, heap + (uint64_t)table, &r->tables[0]);
}

static void find_colours(const struct target *t, struct hs_refs *r)
{
    int32_t shift_at = target_field(t, z_two.globals, "_ZPointerLoadShift", -1);
    if (shift_at >= 0 && (t->layout->version >= RELEASE_Z_TWO || is_flag(t, "ZGenerational"))) {
        r->z_shift = (uint32_t)z_value(t, &z_two, "_ZPointerLoadShift") & 63;
        r->mover = find_z(t, &z_two, r) ? HS_REFS_Z_TWO : HS_REFS_UNKNOWN;
        return;
    }
    /* Single-generation ZGC maps the heap once per colour. A reference can be followed if it has
     * the good colour, so every reference is given that colour. */
    r->z_mask = z_value(t, &z_two, "_ZAddressOffsetMask");
    r->z_colour = z_value(t, &z_two, "_ZAddressGoodMask");
    const struct z_names *n = t->layout->version >= RELEASE_Z_ONE_NAMES ? &z_one : &z_first;
    if (t->layout->version >= RELEASE_FORWARDING_TABLES)
        r->mover = find_z(t, n, r) ? HS_REFS_Z_ONE : HS_REFS_UNKNOWN;
}

static void find_mover(const struct target *t, struct hs_refs *r)
{
    static const char *const stopped[] = {"UseG1GC", "UseParallelGC", "UseSerialGC",
                                          "UseEpsilonGC"};
    r->mover = HS_REFS_UNKNOWN;
    if (is_flag(t, "UseZGC")) {
        find_colours(t, r);
        return;
    }
    if (t->layout->version < RELEASE_FORWARDING_TABLES)
        return;
    for (unsigned i = 0; i < sizeof(stopped) / sizeof(*stopped); i++) {
        if (is_flag(t, stopped[i])) {
            r->mover = HS_REFS_STOPPED;
            return;
        }
    }
    if (is_flag(t, "UseShenandoahGC"))
        r->mover = HS_REFS_SHENANDOAH;
}

void ref_facts_fill(const struct target *t, struct hs_refs *ret_refs)
{
    struct hs_refs *r = ret_refs;
    *r = (struct hs_refs){.is_x86 = t->layout->cpu == HS_CPU_X86_64};
    r->is_compressed = is_flag(t, "UseCompressedOops");
    if (is_flag(t, "UseCompactObjectHeaders"))
        r->header = HS_REFS_HEADER_COMPACT;
    else if (vm_flags_number(t, "UseCompressedClassPointers", 1,
                             t->layout->version >= RELEASE_KLASS_POINTERS_COMPRESSED) != 0)
        r->header = HS_REFS_HEADER_COMPRESSED;
    r->compact_shift = (uint32_t)target_constant(t, "markWord::klass_shift", 0) & 63;
    find_bases(t, r);
    find_mover(t, r);
}
