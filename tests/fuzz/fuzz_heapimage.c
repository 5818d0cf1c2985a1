/*
 * fuzz_heapimage.c - the heap of a JVM whose memory says whatever it likes: list of classes, layout
 * of objects, marking, the walk from object to object, and the file that is written.
 *
 * The JVM is made here: a few classes, strings and arrays in two pieces of memory, one for the VM's
 * structs and one for the heap. The input damages words of it: two bytes say which word, one how,
 * one with what. Nothing else can be read. An undamaged JVM must be read without a loss.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include "base/sink.h"
#include "heapdump/dumpwriter_run.h"
#include "heapimage/heapimage_copy.h"
#include "heapwalk/heap_find.h"
#include "hotspot/loaded_classes.h"
#include "hotspot/target.h"
#include "safe/mem.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 32 << 10, /* bytes of each of the two pieces */
    CLASSES_MAX = 64,
    ARENA = 4 << 20,
    KLASS_BYTES = 256,
    NODES = 20,
};

#define VM_AT UINT64_C(0x7f0000000000)
#define HEAP_AT UINT64_C(0x80000000)

/* Offsets in a Klass. */
enum {
    K_LAYOUT = 8,
    K_NAME = 24,
    K_MIRROR = 32,
    K_SUPER = 40,
    K_NEXT = 48,
    K_DATA = 56,
    K_FIELDS = 64,
    K_CONSTANTS = 72,
    K_VTABLE = 80,
    K_ITABLE = 84,
    K_OOPS = 88,
    K_COUNT = 92,
    K_STATE = 94,
    K_REFERENCE = 95,
    K_ACCESS = 96,
    K_ELEMENT = 104, /* of an ObjArrayKlass */
    K_SIZE = 112,    /* the runs of references follow */
};

/* Offsets in a mirror: its class, its size, then static fields. */
enum { M_KLASS = 16, M_SIZE = 24, M_STATICS = 28, M_BYTES = 40 };

struct vm {
    struct mem mem;
    uint64_t meta[PIECE / 8], heap[PIECE / 8];
    uint64_t meta_used, heap_used; /* bytes */
    uint64_t klasses[CLASSES_MAX];
    uint32_t klass_count;
};

static int vm_read(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    const struct vm *v = (const struct vm *)m;
    bool is_heap = addr - HEAP_AT < PIECE;
    uint64_t at = addr - (is_heap ? HEAP_AT : VM_AT);
    if (at >= PIECE || len > PIECE - at)
        return -EFAULT;
    memcpy(dst, (const unsigned char *)(is_heap ? v->heap : v->meta) + at, len);
    return 0;
}

static const struct mem_ops vm_ops = {.read = vm_read};

static void put(struct vm *v, uint64_t addr, uint64_t value, size_t bytes)
{
    bool is_heap = addr >= HEAP_AT && addr < HEAP_AT + PIECE;
    uint64_t at = addr - (is_heap ? HEAP_AT : VM_AT);
    if (at > PIECE - bytes)
        abort();
    memcpy((unsigned char *)(is_heap ? v->heap : v->meta) + at, &value, bytes);
}

static uint64_t take(uint64_t *used, uint64_t base, uint64_t bytes)
{
    uint64_t at = base + *used;
    *used += (bytes + 7) & ~UINT64_C(7);
    if (*used > PIECE)
        abort();
    return at;
}

static uint64_t symbol(struct vm *v, const char *text)
{
    uint64_t at = take(&v->meta_used, VM_AT, 8 + strlen(text));
    put(v, at, strlen(text), 2);
    for (size_t i = 0; text[i]; i++)
        put(v, at + 8 + i, (unsigned char)text[i], 1);
    return at;
}

static uint64_t object(struct vm *v, uint64_t klass, uint64_t bytes)
{
    uint64_t at = take(&v->heap_used, HEAP_AT, bytes);
    put(v, at, 1, 8);
    put(v, at + 8, klass, 8);
    return at;
}

static uint64_t get(struct vm *v, uint64_t addr)
{
    uint64_t value = 0;
    vm_read(&v->mem, addr, &value, 8);
    return value;
}

/* A class without its mirror and fields. */
static uint64_t klass(struct vm *v, const char *name, int32_t layout, uint64_t super)
{
    uint64_t at = take(&v->meta_used, VM_AT, KLASS_BYTES);
    put(v, at + K_LAYOUT, (uint32_t)layout, 4);
    put(v, at + K_NAME, symbol(v, name), 8);
    put(v, at + K_SUPER, super, 8);
    put(v, at + K_STATE, 4, 1);
    put(v, at + K_ACCESS, 1, 4);
    v->klasses[v->klass_count++] = at;
    return at;
}

/* One field: a row of six numbers, and a pool with its two names. */
static void field(struct vm *v, uint64_t of, const char *name, const char *type, uint32_t offset,
                  bool is_static)
{
    uint64_t pool = take(&v->meta_used, VM_AT, 56), rows = take(&v->meta_used, VM_AT, 16);
    put(v, pool + 8, 3, 4);
    put(v, pool + 32, symbol(v, name), 8);
    put(v, pool + 40, symbol(v, type), 8);
    const uint16_t row[6] = {is_static ? 8 : 0, 1, 2, 0, (uint16_t)(offset << 2), 0};
    put(v, rows, 6, 4);
    for (int i = 0; i < 6; i++)
        put(v, rows + 4 + (uint64_t)i * 2, row[i], 2);
    put(v, of + K_FIELDS, rows, 8);
    put(v, of + K_CONSTANTS, pool, 8);
    put(v, of + K_COUNT, 1, 2);
    if (!is_static && *type == 'L') {
        put(v, of + K_OOPS, 1, 4);
        put(v, of + K_SIZE, offset | (uint64_t)1 << 32, 8);
    }
}

static void mirrors(struct vm *v, uint64_t of_class)
{
    uint64_t data = VM_AT; /* the ClassLoaderData of the boot loader */
    for (uint32_t i = 0; i < v->klass_count; i++) {
        uint64_t handle = take(&v->meta_used, VM_AT, 8), mirror = object(v, of_class, M_BYTES);
        put(v, mirror + M_KLASS, v->klasses[i], 8);
        put(v, mirror + M_SIZE, M_BYTES / 8, 4);
        put(v, handle, mirror, 8);
        put(v, v->klasses[i] + K_MIRROR, handle, 8);
        put(v, v->klasses[i] + K_DATA, data, 8);
        put(v, v->klasses[i] + K_NEXT, i + 1 < v->klass_count ? v->klasses[i + 1] : 0, 8);
    }
    put(v, data + 16, v->klasses[0], 8);
    put(v, data + 48, data, 8); /* the static field that leads to the first ClassLoaderData */
}

/* Returns how many objects there are. */
static uint32_t make(struct vm *v)
{
    memset(v, 0, sizeof(*v));
    v->mem.ops = &vm_ops;
    v->meta_used = 64;
    put(v, VM_AT + 24, M_KLASS, 4);
    put(v, VM_AT + 32, M_SIZE, 4);
    v->heap_used = 0;
    uint64_t top = klass(v, "java/lang/Object", 16, 0);
    uint64_t of_class = klass(v, "java/lang/Class", M_BYTES | 1, top);
    uint64_t node = klass(v, "Node", 24, top);
    uint64_t ref = klass(v, "java/lang/ref/WeakReference", 24, top);
    uint64_t ints = klass(v, "[I", (int32_t)0xc0180a02, top);
    uint64_t nodes = klass(v, "[LNode;", (int32_t)0x80180c03, top);
    put(v, nodes + K_ELEMENT, node, 8);
    put(v, ref + K_REFERENCE, 2, 1);
    field(v, node, "next", "LNode;", 16, false);
    field(v, ref, "referent", "Ljava/lang/Object;", 16, false);
    field(v, top, "count", "J", M_STATICS + 4, true);
    mirrors(v, of_class);
    uint64_t array = object(v, nodes, 24 + NODES * 8), numbers = object(v, ints, 24 + 8), last = 0;
    put(v, array + 16, NODES, 4);
    put(v, numbers + 16, 2, 4);
    for (uint64_t i = 0; i < NODES; i++) {
        uint64_t at = object(v, node, 24);
        put(v, at + 16, last, 8);
        put(v, array + 24 + i * 8, at, 8);
        last = at;
    }
    put(v, object(v, ref, 24) + 16, last, 8);
    uint64_t region = take(&v->meta_used, VM_AT, 24);
    put(v, VM_AT + 56, region, 8);
    put(v, region, HEAP_AT, 8);
    put(v, region + 8, HEAP_AT + v->heap_used, 8);
    put(v, region + 16, HEAP_AT + PIECE, 8);
    return v->klass_count + 2 + NODES + 1;
}

static void damage(struct vm *v, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i + 4 <= len; i += 4) {
        uint64_t word =
            (bytes[i] | (uint64_t)bytes[i + 1] << 8) % (v->meta_used + v->heap_used) / 8;
        uint64_t addr =
            word < v->meta_used / 8 ? VM_AT + word * 8 : HEAP_AT + (word - v->meta_used / 8) * 8;
        uint64_t old = get(v, addr), n = bytes[i + 3];
        const uint64_t values[] = {old ^ UINT64_C(1) << n % 64, VM_AT + n * 128 % PIECE,
                                   HEAP_AT + n * 128 % PIECE,   (old & ~UINT64_C(0xff)) | n,
                                   n << 24 | n << 8 | n << 48,  ~UINT64_C(0) >> n % 64,
                                   get(v, VM_AT + n * 8),       get(v, HEAP_AT + n * 8)};
        put(v, addr, values[bytes[i + 2] % 8], 8);
    }
}

/* ---- the tables of this VM */

static const struct {
    char kind;
    const char *type, *name;
    uint64_t value;
} rows[] = {
    {'f', "Klass", "_layout_helper", K_LAYOUT},
    {'f', "Klass", "_vtable_len", K_VTABLE},
    {'f', "Klass", "_super", K_SUPER},
    {'f', "Klass", "_class_loader_data", K_DATA},
    {'f', "Klass", "_access_flags", K_ACCESS},
    {'f', "InstanceKlass", "_itable_len", K_ITABLE},
    {'f', "InstanceKlass", "_nonstatic_oop_map_size", K_OOPS},
    {'f', "InstanceKlass", "_reference_type", K_REFERENCE},
    {'f', "InstanceKlass", "_init_state", K_STATE},
    {'f', "InstanceKlass", "_fields", K_FIELDS},
    {'f', "InstanceKlass", "_java_fields_count", K_COUNT},
    {'f', "InstanceKlass", "_constants", K_CONSTANTS},
    {'t', "InstanceKlass", "", K_SIZE},
    {'f', "ObjArrayKlass", "_element_klass", K_ELEMENT},
    {'f', "ClassLoaderData", "_class_loader", 0},
    {'f', "ThreadLocalAllocBuffer", "_top", 8},
    {'f', "ThreadLocalAllocBuffer", "_end", 16},
    {'f', "Thread", "_tlab", 64},
    {'s', "java_lang_Class", "_klass_offset", VM_AT + 24},
    {'s', "java_lang_Class", "_oop_size_offset", VM_AT + 32},
    {'s', "java_lang_Class", "_array_klass_offset", VM_AT + 40},
};

static struct vmtables_row all_rows[sizeof(rows) / sizeof(rows[0])];
static uint32_t slots[1024];

/* As vmtables.c places its rows; if that changes, the undamaged VM cannot be read any more. */
static uint32_t hash_of(char kind, const char *type, const char *name)
{
    uint32_t hash = (unsigned char)kind;
    for (const char *p = type; *p != 0; p++)
        hash = (hash ^ (unsigned char)*p) * 0x01000193u;
    for (const char *p = name; *p != 0; p++)
        hash = (hash ^ (unsigned char)*p) * 0x01000193u;
    return hash ^ hash >> 15;
}

static struct vmtables tables(void)
{
    const uint32_t count = sizeof(rows) / sizeof(rows[0]),
                   mask = sizeof(slots) / sizeof(*slots) - 1;
    memset(slots, 0, sizeof(slots));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = hash_of(rows[i].kind, rows[i].type, rows[i].name) & mask;
        while (slots[slot] != 0)
            slot = (slot + 1) & mask;
        slots[slot] = i + 1;
        strcpy(all_rows[i].type, rows[i].type);
        strcpy(all_rows[i].name, rows[i].name);
        all_rows[i].kind = rows[i].kind;
        all_rows[i].value = rows[i].value;
    }
    return (struct vmtables){all_rows, count, slots, mask + 1};
}

static const struct hs_layout layout = {.version = 17,
                                        .klass_mirror = K_MIRROR,
                                        .klass_name = K_NAME,
                                        .klass_next_link = K_NEXT,
                                        .symbol_length = 0,
                                        .symbol_body = 8,
                                        .pool_size = 24,
                                        .pool_length = 8,
                                        .cld_head = VM_AT + 48,
                                        .cld_next = 8,
                                        .cld_klasses = 16,
                                        .thread_list = VM_AT + 8};

/* ---- reading it */

struct reading {
    struct target target;
    struct heap heap;
    struct heapimage_copy copy;
    struct arena arena;
    uint64_t klasses[CLASSES_MAX];
    uint32_t count;
};

static int add_class(void *arg, const struct loaded_class *c)
{
    struct reading *r = arg;
    r->klasses[r->count++] = c->klass;
    return r->count == CLASSES_MAX;
}

static void write_all(struct reading *r, struct heap_find *find)
{
    struct dumpwriter_known known[CLASSES_MAX] = {{0}};
    const struct hprof_heap_root root = {.kind = HPROF_ROOT_NATIVE_STACK, .object = HEAP_AT};
    const struct dumpwriter_facts facts = {.known = known,
                                           .roots = &root,
                                           .known_count = r->count,
                                           .root_count = 1,
                                           .shows_resolved = true};
    struct sink sink;
    struct hprof_heap out = {.ops = &hprof_heap_bin,
                             .sink = &sink,
                             .buffer = arena_alloc(&r->arena, HPROF_HEAP_SEGMENT),
                             .buffer_bytes = HPROF_HEAP_SEGMENT,
                             .id_bytes = 8,
                             .has_segments = true};
    struct dumpwriter w = {
        .facts = &facts, .heap = &r->heap, .find = find, .out = &out, .next_string = 1};
    for (uint32_t i = 0; i < r->count; i++)
        known[i].klass = r->klasses[i];
    if (!out.buffer || sink_init(&sink, -1) != 0)
        return;
    dumpwriter_run(&w);
    sink_done(&sink);
}

/* Finds the objects, and counts or writes them; returns how many there are, or an error. */
static int64_t read_all(struct reading *r, bool with_unreachable)
{
    struct heap_range range;
    struct heap_find_sum sums[CLASSES_MAX + 1] = {{0, 0}};
    struct heap_find find = {.heap = &r->heap,
                             .arena = &r->arena,
                             .klasses = r->klasses,
                             .klass_count = r->count,
                             .ranges = &range,
                             .range_max = 1,
                             .with_unreachable = with_unreachable,
                             .is_foreign = true,
                             .bytes_max = PIECE};
    int64_t result = heap_find_begin(&find);
    if (result == 0)
        result = heap_find_run(&find);
    /* both use heap_class.user */
    if (result == 0 && with_unreachable)
        write_all(r, &find);
    else if (result == 0)
        heap_find_count(&find, sums);
    if (result == 0 && find.mark.broken == 0)
        result = (int64_t)(find.mark.objects + find.parse.objects);
    if (find.mark.bits)
        heap_mark_done(&find.mark);
    return result;
}

static int64_t look(struct vm *v, bool with_unreachable)
{
    static struct reading r;
    const char *missing = "";
    uint32_t broken;
    r = (struct reading){.target = {.mem = &v->mem, .layout = &layout, .tables = tables()}};
    r.heap = (struct heap){.target = &r.target,
                           .collector = HEAP_G1,
                           .low = HEAP_AT,
                           .high = HEAP_AT + PIECE,
                           .reference_bytes = 8,
                           .align = 8,
                           .table = VM_AT + 56,
                           .count = 1,
                           .region_bottom = 0,
                           .region_top = 8,
                           .region_end = 16};
    if (oops_init(&r.target, &r.heap.oops, &missing) != 0)
        abort();
    r.heap.oops.refs.header = HS_REFS_HEADER_FULL;
    r.heap.oops.array_length = 16;
    r.heap.oops.array_data = r.heap.oops.array_oops = 24;
    arena_init(&r.arena, ARENA);
    loaded_classes_each(&r.target, add_class, &r, &broken, &missing);
    int64_t result = heapimage_copy_open(&r.copy, &r.heap, &v->mem);
    if (result == 0) {
        memcpy((void *)(uintptr_t)(HEAP_AT + (uint64_t)r.heap.delta), v->heap, PIECE);
        r.target.mem = &r.copy.mem;
        result = read_all(&r, with_unreachable);
    }
    heapimage_copy_close(&r.copy);
    arena_done(&r.arena);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct vm v;
    uint32_t objects = make(&v);
    damage(&v, bytes, len < 4096 ? len : 4096);
    int64_t all = look(&v, true);
    look(&v, false);
    if (len < 4 && all != objects)
        abort();
    return 0;
}
