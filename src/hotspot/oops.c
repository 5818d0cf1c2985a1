/*
 * oops.c - see oops.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/oops.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/target.h"
#include "hotspot/vm_flags.h"
#include "safe/hs_method.h"
#include "safe/hs_refs.h"
#include "safe/mem.h"
#include "safe/release.h"

enum {
    SUPERS_MAX = 1000,
    CLASSES_MAX = 1000000,
    /* the lowest bits of an object's header, and their value when the object is not locked (source:
     * markWord.hpp) */
    HEADER_LOCK_BITS = 3,
    HEADER_UNLOCKED = 1,
    /* longer texts are cut: these texts are names */
    CHARS_MAX = 4096,
    /* the fields of a heap, among which its generations are searched */
    HEAP_BYTES_MAX = 1 << 20,
    GRANULES_MAX = 1 << 24,
};

/* ---- how this VM writes references, and which collector moves objects */

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
    const char *globals, *instance, *offset_mask, *good_mask, *colours, *phase;
    const char *collected_heap, *heap, *forwarding_table, *granule_map, *granule_shift;
    const char *forwarding, *memory, *array;
};

#define Z_NAMES(letter, good, metadata)                                                            \
    {                                                                                              \
        .globals = letter "GlobalsForVMStructs", .instance = "_instance_p",                        \
        .offset_mask = "_" letter "AddressOffsetMask", .good_mask = (good), .colours = (metadata), \
        .phase = "_" letter "GlobalPhase", .collected_heap = letter "CollectedHeap",               \
        .heap = letter "Heap", .forwarding_table = letter "ForwardingTable",                       \
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
    r->forwarding.users = target_field(t, n->forwarding, "_ref_count", -1);
    r->good_at = z_variable(t, n, n->good_mask);
    r->phase_at = z_variable(t, n, n->phase);
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

/* Find how references are written. The facts for hs_refs_load() are filled for JDK 21 and later,
 * where references are followed while a collector works. For other JDKs `mover` stays
 * HS_REFS_UNKNOWN. */
static void find_refs(const struct target *t, struct hs_refs *ret_refs)
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

/* ---- how objects and classes are laid out */

/* The bit of a flag of a field in the stream; 0: this VM has no flag of that name. */
static uint32_t field_flag(const struct target *t, const char *name)
{
    int32_t bit = target_constant(t, name, -1);
    return bit >= 0 && bit < 32 ? 1u << bit : 0;
}

/* Find the flags of a field in the stream: initial value, generic signature and others. JDK 28
 * numbers the flags anew. Source: fieldInfo.inline.hpp (map_field_info). */
static void find_field_flags(const struct target *t, struct klass_fields_facts *f)
{
    f->flat = field_flag(t, "FieldInfo::FieldFlags::_ff_flat");
    f->nullable = field_flag(t, "FieldInfo::FieldFlags::_ff_null_marker");
    f->initialized = field_flag(t, "FieldInfo::FieldFlags::_ff_initialized");
    f->generic = field_flag(t, "FieldInfo::FieldFlags::_ff_generic");
    f->more = f->initialized | f->generic | field_flag(t, "FieldInfo::FieldFlags::_ff_contended") |
              f->flat | f->nullable;
}

int oops_init(const struct target *t, struct oops *ret_oops, const char **ret_missing)
{
    struct oops o = {.target = t};
    find_refs(t, &o.refs);
    o.array_length = o.refs.header == HS_REFS_HEADER_FULL      ? 16
                     : o.refs.header == HS_REFS_HEADER_COMPACT ? 8
                                                               : 12;
    o.array_data = o.array_length + 4;
    /* Until JDK 23, elements start at the next multiple of 8 bytes after the length. */
    if (o.refs.header == HS_REFS_HEADER_FULL && t->layout->version < RELEASE_ARRAYS_PACKED)
        o.array_data = 24;
    /* Full references are aligned to 8 bytes; behind a header of 12 bytes this leaves a gap. */
    o.array_oops = o.refs.is_compressed ? o.array_data : (o.array_data + 7) & ~7;
    o.klass_super = target_field(t, "Klass", "_super", -1);
    o.fields = (struct klass_fields_facts){
        .target = t,
        .array = target_field(t, "InstanceKlass", "_fields", -1),
        .count = target_field(t, "InstanceKlass", "_java_fields_count", -1),
        .stream = target_field(t, "InstanceKlass", "_fieldinfo_stream", -1),
        .constants = target_field(t, "InstanceKlass", "_constants", -1),
    };
    find_field_flags(t, &o.fields);
    o.is_handle = t->layout->version >= RELEASE_THREAD_HANDLES;
    *ret_missing = o.klass_super < 0                           ? "Klass::_super"
                   : o.fields.constants < 0                    ? "InstanceKlass::_constants"
                   : o.fields.array < 0 && o.fields.stream < 0 ? "InstanceKlass::_fields"
                   : o.refs.header == HS_REFS_HEADER_COMPACT && o.refs.compact_shift == 0
                       ? "markWord::klass_shift"
                       : "";
    if (**ret_missing != 0)
        return E_FACT_MISSING;
    *ret_oops = o;
    return 0;
}

/* ---- references and objects */

/* The place to which a collector has moved the object, if it is known; else the place to which the
 * reference leads. Single-generation ZGC sees an object at several addresses; one of them stands
 * for all. */
static uint64_t follow(const struct oops *o, uint64_t word, uint64_t otherwise)
{
    struct mem_view view = {.mem = o->target->mem};
    uint64_t object;
    if (!hs_refs_follow(&view, &o->refs, word, &object))
        return otherwise;
    return o->refs.mover == HS_REFS_Z_ONE ? hs_refs_word(&o->refs, object) : object;
}

uint64_t oops_of_word(const struct oops *o, uint64_t word)
{
    return follow(o, word, hs_refs_word(&o->refs, word));
}

static bool is_locked(const struct oops *o, uint64_t object)
{
    uint64_t header;
    return mem_read(o->target->mem, object, &header, sizeof(header)) >= 0 &&
           (header & HEADER_LOCK_BITS) != HEADER_UNLOCKED;
}

/*
 * While a thread stands, one collection of each generation may have passed, in either order. The
 * word on the thread's stack was not updated, so the object is at the end of its moves. But moves
 * of an object that was at the same address earlier are also still known, and they end at another
 * object. Therefore the object at the end must be locked.
 */
uint64_t oops_of_lock_word(const struct oops *o, uint64_t word)
{
    struct mem_view view = {.mem = o->target->mem};
    uint64_t best = word;
    if (o->refs.z_shift == 0)
        return oops_of_word(o, word);
    for (int first = 0, most = 0; first < 2 && word != 0; first++) {
        uint64_t at = word;
        for (int i = 0, moves = 0; i < 2; i++) {
            moves += hs_refs_moved(&view, &o->refs, at, first ^ i, &at);
            if (moves > most && is_locked(o, at)) {
                best = at;
                most = moves;
            }
        }
    }
    return best;
}

uint64_t oops_of_narrow(const struct oops *o, uint32_t narrow)
{
    uint64_t object = hs_refs_narrow(&o->refs, narrow);
    return follow(o, object, object);
}

uint64_t oops_of_handle(const struct oops *o, uint64_t addr)
{
    uint64_t word = target_u8(o->target, addr);
    if (o->is_handle)
        return word == 0 ? 0 : oops_of_word(o, target_u8(o->target, word));
    return oops_of_word(o, word);
}

uint64_t oops_klass(const struct oops *o, uint64_t object)
{
    struct mem_view view = {.mem = o->target->mem};
    return hs_refs_klass(&view, &o->refs, object);
}

/* Copy a Symbol as a C string. Returns its length, or -1. */
static int symbol_text(const struct oops *o, uint64_t symbol, char *dst, size_t size)
{
    struct mem_view view = {.mem = o->target->mem};
    int len = hs_method_symbol_text(&view, o->target->layout, symbol, dst, (uint32_t)size - 1);
    dst[len < 0 ? 0 : len] = 0;
    return len;
}

int oops_klass_name(const struct oops *o, uint64_t klass, char *dst, size_t size)
{
    uint64_t symbol =
        klass == 0 ? 0 : target_u8(o->target, klass + (uint64_t)o->target->layout->klass_name);
    dst[0] = 0;
    return symbol == 0 ? -1 : symbol_text(o, symbol, dst, size);
}

uint64_t oops_klass_super(const struct oops *o, uint64_t klass)
{
    return target_u8(o->target, klass + (uint64_t)o->klass_super);
}

bool oops_is_kind(const struct oops *o, uint64_t klass, const char *name)
{
    char text[256];
    for (int i = 0; klass != 0 && i < SUPERS_MAX; i++, klass = oops_klass_super(o, klass)) {
        if (oops_klass_name(o, klass, text, sizeof(text)) > 0 && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* The offset of a field that the class itself declares; -1: none. */
static int32_t find_field(const struct oops *o, uint64_t klass, const char *name, bool is_static)
{
    char text[256];
    struct klass_fields fields;
    struct klass_field field;
    klass_fields_begin(&fields, &o->fields, klass);
    while (klass_fields_next(&fields, &field)) {
        if (field.is_static == is_static && symbol_text(o, field.name, text, sizeof(text)) > 0 &&
            strcmp(text, name) == 0)
            return (int32_t)field.offset;
    }
    return -1;
}

int32_t oops_field(struct oops *o, uint64_t klass, const char *name)
{
    int32_t offset = -1;
    for (uint32_t i = 0; i < o->cached; i++) {
        if (o->cache[i].klass == klass && o->cache[i].name == name)
            return o->cache[i].offset;
    }
    uint64_t at = klass;
    for (int i = 0; at != 0 && offset < 0 && i < SUPERS_MAX; i++, at = oops_klass_super(o, at))
        offset = find_field(o, at, name, 0);
    if (o->cached < OOPS_CACHE) {
        o->cache[o->cached].klass = klass;
        o->cache[o->cached].name = name;
        o->cache[o->cached++].offset = offset;
    }
    return offset;
}

/* The reference in the heap at `addr`. */
static uint64_t heap_reference(const struct oops *o, uint64_t addr)
{
    if (o->refs.is_compressed)
        return oops_of_narrow(o, target_u4(o->target, addr));
    return oops_of_word(o, target_u8(o->target, addr));
}

uint64_t oops_boot_class(const struct oops *o, const char *name)
{
    const struct target *t = o->target;
    const struct hs_layout *l = t->layout;
    char text[256];
    uint64_t object = target_static_value(
        t, "vmClasses", "_klasses[static_cast<int>(vmClassID::Object_klass_knum)]", 8);
    int32_t cld_at = target_field(t, "Klass", "_class_loader_data", -1);
    if (object == 0 || cld_at < 0 || l->cld_klasses < 0 || l->klass_next_link < 0)
        return 0;
    uint64_t cld = target_u8(t, object + (uint64_t)cld_at);
    uint64_t klass = target_u8(t, cld + (uint64_t)l->cld_klasses);
    for (uint32_t i = 0; klass != 0 && i < CLASSES_MAX; i++) {
        uint64_t symbol = target_u8(t, klass + (uint64_t)l->klass_name);
        struct mem_view view = {.mem = t->mem};
        if (mem_view_u2(&view, symbol + (uint64_t)l->symbol_length) == strlen(name) &&
            symbol_text(o, symbol, text, sizeof(text)) > 0 && strcmp(text, name) == 0)
            return klass;
        klass = target_u8(t, klass + (uint64_t)l->klass_next_link);
    }
    return 0;
}

uint64_t oops_klass_mirror(const struct oops *o, uint64_t klass)
{
    int32_t mirror_at = o->target->layout->klass_mirror;
    if (klass == 0 || mirror_at < 0)
        return 0;
    uint64_t word = target_u8(o->target, klass + (uint64_t)mirror_at);
    if (word != 0 && o->target->layout->version >= RELEASE_MIRROR_HANDLES)
        word = target_u8(o->target, word);
    return oops_of_word(o, word);
}

bool oops_load(const struct oops *o, uint64_t addr, uint64_t *ret_object)
{
    uint64_t word = 0;
    if (mem_read(o->target->mem, addr, &word, o->refs.is_compressed ? 4 : 8) < 0)
        return false;
    *ret_object = o->refs.is_compressed ? oops_of_narrow(o, (uint32_t)word) : oops_of_word(o, word);
    return true;
}

/* The address of a static field that this very class declares; 0: none. */
static uint64_t static_field(const struct oops *o, uint64_t klass, const char *name)
{
    int32_t offset = klass == 0 ? -1 : find_field(o, klass, name, 1);
    uint64_t mirror = offset < 0 ? 0 : oops_klass_mirror(o, klass);
    return mirror == 0 ? 0 : mirror + (uint64_t)offset;
}

uint64_t oops_get_static(const struct oops *o, uint64_t klass, const char *name)
{
    uint64_t addr = static_field(o, klass, name);
    return addr == 0 ? 0 : heap_reference(o, addr);
}

bool oops_get_static_number(const struct oops *o, uint64_t klass, const char *name, size_t size,
                            uint64_t *ret_value)
{
    uint64_t addr = static_field(o, klass, name), value = 0;
    if (addr == 0 || mem_read(o->target->mem, addr, &value, size) < 0)
        return false;
    *ret_value = value;
    return true;
}

uint32_t oops_length(const struct oops *o, uint64_t array)
{
    return array == 0 ? 0 : target_u4(o->target, array + (uint64_t)o->array_length);
}

uint64_t oops_element(const struct oops *o, uint64_t array, uint32_t index)
{
    if (index >= oops_length(o, array))
        return 0;
    uint64_t size = o->refs.is_compressed ? 4 : 8;
    return heap_reference(o, array + (uint64_t)o->array_oops + index * size);
}

uint64_t oops_get_object(struct oops *o, uint64_t object, const char *name)
{
    uint64_t klass = oops_klass(o, object);
    int32_t offset = klass == 0 ? -1 : oops_field(o, klass, name);
    return offset < 0 ? 0 : heap_reference(o, object + (uint64_t)offset);
}

uint64_t oops_get_number(struct oops *o, uint64_t object, const char *name, size_t size)
{
    uint64_t klass = oops_klass(o, object), value = 0;
    int32_t offset = klass == 0 ? -1 : oops_field(o, klass, name);
    if (offset < 0 || mem_read(o->target->mem, object + (uint64_t)offset, &value, size) < 0)
        return 0;
    return value;
}

static size_t put_utf8(char *dst, size_t at, size_t size, uint32_t c)
{
    unsigned char out[4];
    size_t n = 0;
    if (c < 0x80) {
        out[n++] = (unsigned char)c;
    } else if (c < 0x800) {
        out[n++] = (unsigned char)(0xc0 | c >> 6);
        out[n++] = (unsigned char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        out[n++] = (unsigned char)(0xe0 | c >> 12);
        out[n++] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
        out[n++] = (unsigned char)(0x80 | (c & 0x3f));
    } else {
        out[n++] = (unsigned char)(0xf0 | c >> 18);
        out[n++] = (unsigned char)(0x80 | (c >> 12 & 0x3f));
        out[n++] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
        out[n++] = (unsigned char)(0x80 | (c & 0x3f));
    }
    if (at + n >= size)
        return size; /* full */
    memcpy(dst + at, out, n);
    return at + n;
}

/* Convert UTF-16 to UTF-8. */
static int wide_text(const uint16_t *chars, uint32_t count, char *dst, size_t size)
{
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = chars[i], low = i + 1 < count ? chars[i + 1] : 0;
        if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            i++;
        } else if (c >= 0xd800 && c < 0xe000) {
            c = '?';
        }
        size_t next = put_utf8(dst, at, size, c);
        if (next == size)
            break;
        at = next;
    }
    dst[at] = 0;
    return (int)at;
}

/* The text of an array of chars: `width` bytes per char, `element` bytes per element. */
static int array_text(const struct oops *o, uint64_t array, uint32_t width, uint32_t element,
                      char *dst, size_t size)
{
    uint16_t chars[CHARS_MAX];
    unsigned char *bytes = (unsigned char *)chars;
    const struct target *t = o->target;
    uint64_t count = (uint64_t)target_u4(t, array + (uint64_t)o->array_length) * element / width;
    if (count > CHARS_MAX)
        count = CHARS_MAX;
    if (mem_read(t->mem, array + (uint64_t)o->array_data, bytes, count * width) < 0)
        return -1;
    if (width == 1) {
        for (uint64_t i = count; i-- > 0;)
            chars[i] = bytes[i];
    }
    return wide_text(chars, (uint32_t)count, dst, size);
}

int oops_text(struct oops *o, uint64_t object, char *dst, size_t size)
{
    char name[64];
    uint64_t klass = oops_klass(o, object), value = object;
    dst[0] = 0;
    if (klass == 0 || oops_klass_name(o, klass, name, sizeof(name)) <= 0)
        return -1;
    if (strcmp(name, "java/lang/String") == 0) {
        value = oops_get_object(o, object, "value");
        klass = oops_klass(o, value);
        if (klass == 0 || oops_klass_name(o, klass, name, sizeof(name)) <= 0)
            return -1;
    }
    if (strcmp(name, "[C") == 0)
        return array_text(o, value, 2, 2, dst, size);
    if (strcmp(name, "[B") != 0 || value == object)
        return -1;
    return array_text(o, value, oops_get_number(o, object, "coder", 1) == 0 ? 1 : 2, 1, dst, size);
}
