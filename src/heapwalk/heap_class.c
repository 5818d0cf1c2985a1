/*
 * heap_class.c - see heap_class.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapwalk/heap_class.h"
#include <errno.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/klass_fields.h"
#include "hotspot/target.h"
#include "safe/hs_method.h"
#include "safe/mem.h"
#include "safe/release.h"

enum {
    SLOTS = 1 << 12,
    FIELDS_MAX = 65536,
    RUNS_MAX = 4096,
    /* the tag is the highest four bits of a layout helper */
    OBJECT_ARRAY_TAG = 8,
    FLAT_ARRAY_TAG = 10,
    NULL_FREE = 1 << 27, /* the bit below the tag. Source: klass.hpp (_lh_null_free_shift) */
    PAYLOAD_MAX = 1 << 16,
    MIRROR_MAX = 1 << 12, /* bytes; a field of java.lang.Class lies within them */
    ARRAY_HEADER_MAX = 32,
    FLAT_PADDING = 16, /* bytes of an object that its flat form may lack */
    /* Deeper than any chain of superclasses or elements: a chain of damaged classes has no end. */
    DEPTH_MAX = 400,
};

/* ---- offsets in the VM's structs that describe classes */

static int32_t static_int(const struct target *t, const char *name)
{
    return (int32_t)target_static_value(t, "java_lang_Class", name, 4);
}

static bool is_in_mirror(int32_t offset)
{
    return offset > 0 && offset < MIRROR_MAX;
}

static void find_value_facts(const struct target *t, struct heap_class_value_facts *f)
{
    uint64_t size = 0;
    f->klass_kind = target_field(t, "Klass", "_kind", -1);
    f->flat_kind = target_constant(t, "Klass::KlassKind::FlatArrayKlassKind", -1);
    f->value_kind = target_constant(t, "Klass::KlassKind::ValueKlassKind", -1);
    f->klass_rows = target_field(t, "InstanceKlass", "_value_field_layout_info_array", -1);
    f->rows_data = target_field(t, "Array<ValueFieldLayoutInfo>", "_data", -1);
    f->row_klass = target_field(t, "ValueFieldLayoutInfo", "_klass", -1);
    vmtables_find(&t->tables, 't', "ValueFieldLayoutInfo", "", &size);
    f->row_bytes = (uint32_t)size;
    f->klass_part = target_field(t, "InstanceKlass", "_adr_value_klass_members", -1);
    f->part_payload = target_field(t, "ValueKlass::Members", "_payload_offset", -1);
    f->part_marker = target_field(t, "ValueKlass::Members", "_null_marker_offset", -1);
}

/* Like find_facts(), for the facts that a heap with flat values needs in addition. */
static const char *missing_of_values(const struct heap_class_value_facts *f)
{
    return f->klass_kind < 0     ? "Klass::_kind"
           : f->value_kind < 0   ? "Klass::KlassKind::ValueKlassKind"
           : f->klass_rows < 0   ? "InstanceKlass::_value_field_layout_info_array"
           : f->rows_data < 0    ? "Array<ValueFieldLayoutInfo>::_data"
           : f->row_klass < 0    ? "ValueFieldLayoutInfo::_klass"
           : f->row_bytes == 0   ? "sizeof(ValueFieldLayoutInfo)"
           : f->klass_part < 0   ? "InstanceKlass::_adr_value_klass_members"
           : f->part_payload < 0 ? "ValueKlass::Members::_payload_offset"
           : f->part_marker < 0  ? "ValueKlass::Members::_null_marker_offset"
                                 : "";
}

/* Finds the offsets. Returns the name of a missing fact; "": everything that is needed in every
 * release is there. */
static const char *find_facts(const struct target *t, struct heap_class_facts *f)
{
    uint64_t size = 0;
    f->layout_helper = target_field(t, "Klass", "_layout_helper", -1);
    f->klass_vtable = target_field(t, "Klass", "_vtable_len", -1);
    if (f->klass_vtable < 0)
        f->klass_vtable = target_field(t, "InstanceKlass", "_vtable_len", -1);
    f->klass_itable = target_field(t, "InstanceKlass", "_itable_len", -1);
    f->klass_oop_map = target_field(t, "InstanceKlass", "_nonstatic_oop_map_size", -1);
    f->klass_reference = target_field(t, "InstanceKlass", "_reference_type", -1);
    f->element_klass = target_field(t, "ObjArrayKlass", "_element_klass", -1);
    f->pool_cache = target_field(t, "ConstantPool", "_cache", -1);
    f->cache_resolved = target_field(t, "ConstantPoolCache", "_resolved_references", -1);
    f->pool_resolved = target_field(t, "ConstantPool", "_resolved_references", -1);
    f->klass_loader_data = target_field(t, "Klass", "_class_loader_data", -1);
    if (f->klass_loader_data < 0)
        f->klass_loader_data = target_field(t, "InstanceKlass", "_class_loader_data", -1);
    f->data_loader = target_field(t, "ClassLoaderData", "_class_loader", -1);
    f->data_holder = target_field(t, "ClassLoaderData", "_has_class_mirror_holder", -1);
    if (f->data_holder < 0)
        f->data_holder = target_field(t, "ClassLoaderData", "_is_anonymous", -1);
    vmtables_find(&t->tables, 't', "InstanceKlass", "", &size);
    f->instance_klass_bytes = (uint32_t)size;
    find_value_facts(t, &f->values);
    f->mirror_klass = static_int(t, "_klass_offset");
    f->mirror_array = static_int(t, "_array_klass_offset");
    f->mirror_size = static_int(t, "_oop_size_offset");
    return f->layout_helper < 0             ? "Klass::_layout_helper"
           : f->klass_vtable < 0            ? "Klass::_vtable_len"
           : f->klass_itable < 0            ? "InstanceKlass::_itable_len"
           : f->klass_oop_map < 0           ? "InstanceKlass::_nonstatic_oop_map_size"
           : f->klass_reference < 0         ? "InstanceKlass::_reference_type"
           : f->element_klass < 0           ? "ObjArrayKlass::_element_klass"
           : size == 0                      ? "sizeof(InstanceKlass)"
           : !is_in_mirror(f->mirror_klass) ? "java_lang_Class::_klass_offset"
           : !is_in_mirror(f->mirror_size)  ? "java_lang_Class::_oop_size_offset"
                                            : "";
}

/* ---- classes */

static uint64_t find_u8(const struct heap_classes *c, uint64_t base, int32_t offset)
{
    return base == 0 || offset < 0 ? 0 : target_u8(c->heap->target, base + (uint64_t)offset);
}

static bool symbol_is(const struct heap *h, uint64_t symbol, const char *text)
{
    char name[64];
    struct mem_view view = {.mem = h->target->mem};
    int len = hs_method_symbol_text(&view, h->target->layout, symbol, name, sizeof(name) - 1);
    name[len < 0 ? 0 : len] = 0;
    return strcmp(name, text) == 0;
}

int heap_class_init(struct heap_classes *c, const struct heap *h, struct arena *arena,
                    const char **ret_missing)
{
    *c = (struct heap_classes){.heap = h, .arena = arena, .chunk_size = -1, .chunk_flags = -1};
    c->last = &c->first;
    *ret_missing = find_facts(h->target, &c->facts);
    if (**ret_missing)
        return E_FACT_MISSING;
    c->slots = arena_alloc(arena, SLOTS * sizeof(*c->slots));
    c->slot_count = c->slots ? SLOTS : 0;
    return c->slots ? 0 : -ENOMEM;
}

static void enter(struct heap_classes *c, uint64_t klass, struct heap_class *k)
{
    uint32_t at = heap_class_hash(klass);
    while (c->slots[at & (c->slot_count - 1)].class)
        at++;
    c->slots[at & (c->slot_count - 1)] = (struct heap_class_slot){klass, k};
}

static int grow(struct heap_classes *c)
{
    struct heap_class_slot *old = c->slots;
    uint32_t old_count = c->slot_count;
    if (c->count + c->refined_count + 1 <= c->slot_count / 2)
        return 0;
    c->slots = arena_alloc(c->arena, (size_t)old_count * 2 * sizeof(*old));
    if (!c->slots) {
        c->slots = old;
        return -ENOMEM;
    }
    c->slot_count = old_count * 2;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i].class)
            enter(c, old[i].klass, old[i].class);
    }
    return 0;
}

static enum heap_type type_of_letter(char letter)
{
    static const struct {
        char letter;
        enum heap_type type;
    } rows[] = {{'Z', HEAP_BOOLEAN}, {'C', HEAP_CHAR},  {'F', HEAP_FLOAT}, {'D', HEAP_DOUBLE},
                {'B', HEAP_BYTE},    {'S', HEAP_SHORT}, {'I', HEAP_INT},   {'J', HEAP_LONG}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (rows[i].letter == letter)
            return rows[i].type;
    }
    return HEAP_OBJECT;
}

/* Notes that a class could not be read because this fact is missing. Then heap_find_run() fails. */
static int miss(struct heap_classes *c, const char *what)
{
    if (!c->missing)
        c->missing = what;
    return E_FACT_MISSING;
}

/* The class of the value that lies flat in field number `index` of an InstanceKlass; NULL:
 * unknown. */
static struct heap_class *class_of_flat(struct heap_classes *c, uint64_t klass, uint32_t index)
{
    const char *missing = missing_of_values(&c->facts.values);
    uint64_t rows = *missing ? 0 : find_u8(c, klass, c->facts.values.klass_rows);
    struct heap_class *value = NULL;
    if (rows != 0 && index < target_u4(c->heap->target, rows))
        value = heap_class_at(c, find_u8(c,
                                         rows + (uint64_t)c->facts.values.rows_data +
                                             (uint64_t)index * c->facts.values.row_bytes,
                                         c->facts.values.row_klass));
    if (value && value->value.payload != 0) {
        c->has_flat = true;
        return value;
    }
    miss(c, *missing ? missing : "the class of a flat field");
    return NULL;
}

static int read_fields(struct heap_classes *c, struct heap_class *k)
{
    const struct target *t = c->heap->target;
    struct klass_fields f;
    struct klass_field field;
    uint32_t total[2] = {0, 0};
    klass_fields_begin(&f, &c->heap->oops.fields, k->klass);
    while (klass_fields_next(&f, &field) && total[0] + total[1] < FIELDS_MAX)
        total[field.is_static]++;
    k->fields = arena_alloc(c->arena, (total[0] + 1) * sizeof(*k->fields));
    k->statics = arena_alloc(c->arena, (total[1] + 1) * sizeof(*k->statics));
    if (!k->fields || !k->statics)
        return -ENOMEM;
    klass_fields_begin(&f, &c->heap->oops.fields, k->klass);
    while (k->field_count + k->static_count < total[0] + total[1] &&
           klass_fields_next(&f, &field)) {
        char letter = 0;
        struct heap_field *to =
            field.is_static ? &k->statics[k->static_count] : &k->fields[k->field_count];
        mem_read(t->mem, field.signature + (uint64_t)t->layout->symbol_body, &letter, 1);
        *to = (struct heap_field){.name = field.name,
                                  .offset = field.offset,
                                  .type = type_of_letter(letter),
                                  .is_nullable = field.is_nullable};
        if (field.is_flat) {
            to->flat = class_of_flat(c, k->klass, field.index);
            if (!to->flat)
                return E_FACT_MISSING;
        }
        *(field.is_static ? &k->static_count : &k->field_count) += 1;
    }
    return 0;
}

/* The runs of references lie behind the vtable and the itable of the InstanceKlass. */
static int read_runs(struct heap_classes *c, struct heap_class *k)
{
    const struct target *t = c->heap->target;
    uint32_t vtable = target_u4(t, k->klass + (uint64_t)c->facts.klass_vtable),
             itable = target_u4(t, k->klass + (uint64_t)c->facts.klass_itable);
    uint64_t at = k->klass + c->facts.instance_klass_bytes + ((uint64_t)vtable + itable) * 8;
    uint32_t count = target_u4(t, k->klass + (uint64_t)c->facts.klass_oop_map);
    if (count > RUNS_MAX)
        return E_VM_STATE;
    k->runs = arena_alloc(c->arena, (count + 1) * sizeof(*k->runs));
    if (!k->runs)
        return -ENOMEM;
    k->run_count = count;
    return count == 0 ? 0 : mem_read(t->mem, at, k->runs, count * sizeof(*k->runs));
}

/* Reads the reference at `at`. If `is_handle`, the word at `at` is a handle that points to the
 * reference. */
static uint64_t follow_handle(const struct heap_classes *c, uint64_t at, bool is_handle)
{
    uint64_t word = at == 0 ? 0 : target_u8(c->heap->target, at);
    return heap_of_word(c->heap, is_handle && word != 0 ? target_u8(c->heap->target, word) : word);
}

static void read_resolved(struct heap_classes *c, struct heap_class *k)
{
    uint64_t pool = find_u8(c, k->klass, c->heap->oops.fields.constants);
    if (pool == 0)
        return;
    if (c->facts.pool_resolved >= 0) { /* JDK 8: a jobject in the constant pool */
        k->resolved = follow_handle(c, pool + (uint64_t)c->facts.pool_resolved, 1);
    } else if (c->facts.cache_resolved >= 0) {
        uint64_t cache = find_u8(c, pool, c->facts.pool_cache);
        if (cache != 0)
            k->resolved = follow_handle(c, cache + (uint64_t)c->facts.cache_resolved, 1);
    }
    if (k->resolved != 0 && !heap_has(c->heap, k->resolved))
        k->resolved = 0;
}

bool heap_class_is_named(const struct heap_classes *c, const struct heap_class *k, const char *name)
{
    return symbol_is(c->heap, k->name, name);
}

uint32_t heap_class_field(const struct heap_classes *c, const struct heap_class *k,
                          const char *name)
{
    for (; k; k = k->super) {
        for (uint32_t i = 0; i < k->field_count; i++) {
            if (symbol_is(c->heap, k->fields[i].name, name))
                return k->fields[i].offset;
        }
    }
    return 0;
}

/* Compares names, because the numbers in InstanceKlass::_reference_type differ between JDKs. */
static void find_strength(const struct heap_classes *c, struct heap_class *k)
{
    static const struct {
        const char *name;
        enum heap_strength strength;
    } rows[] = {{"java/lang/ref/SoftReference", HEAP_SOFT},
                {"java/lang/ref/WeakReference", HEAP_WEAK},
                {"java/lang/ref/FinalReference", HEAP_FINAL},
                {"java/lang/ref/PhantomReference", HEAP_PHANTOM}};
    uint8_t type = 0;
    mem_read(c->heap->target->mem, k->klass + (uint64_t)c->facts.klass_reference, &type, 1);
    if (type == 0)
        return;
    if (k->super)
        k->ref.strength = k->super->ref.strength;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (symbol_is(c->heap, k->name, rows[i].name))
            k->ref.strength = rows[i].strength;
    }
    k->ref.referent = heap_class_field(c, k, "referent");
    k->ref.discovered = heap_class_field(c, k, "discovered");
}

static int read_kind(const struct heap_classes *c, uint64_t klass)
{
    uint8_t kind = 0;
    if (c->facts.values.klass_kind < 0 ||
        mem_read(c->heap->target->mem, klass + (uint64_t)c->facts.values.klass_kind, &kind, 1) < 0)
        return -1;
    return kind;
}

static int read_value(struct heap_classes *c, struct heap_class *k)
{
    const struct target *t = c->heap->target;
    if (c->facts.values.value_kind < 0 || read_kind(c, k->klass) != c->facts.values.value_kind)
        return 0;
    /* class_of_flat() and flat_array() check this again, for values that do lie flat */
    if (*missing_of_values(&c->facts.values))
        return 0;
    uint64_t part = find_u8(c, k->klass, c->facts.values.klass_part);
    if (part == 0)
        return miss(c, "the layout of a value class");
    k->value.payload = target_u4(t, part + (uint64_t)c->facts.values.part_payload);
    k->value.marker = target_u4(t, part + (uint64_t)c->facts.values.part_marker);
    return k->value.payload == 0 || k->value.payload > PAYLOAD_MAX
               ? miss(c, "the layout of a value class")
               : 0;
}

/* Bytes from the place of a field, or of a flat value in it, to its end. A flat value ends with its
 * fields, before the padding of an object of its class. */
static uint64_t bytes_of_field(const struct heap_classes *c, const struct heap_field *f)
{
    const struct heap_class *value = f->flat;
    if (!value)
        return heap_class_value_bytes(c->heap, f->type);
    uint64_t bytes = value->bytes - value->value.payload;
    return bytes > FLAT_PADDING ? bytes - FLAT_PADDING : 1;
}

static bool has_marker(const struct heap_class *value)
{
    return value->value.marker >= value->value.payload && value->value.marker <= value->bytes;
}

/* Whether all fields and all runs of references lie within an instance. The walk relies on it. */
static bool has_whole_fields(const struct heap_classes *c, const struct heap_class *k)
{
    uint32_t align = c->heap->align, aligned = (k->bytes + align - 1) & ~(align - 1);
    if (k->value.payload > k->bytes || (k->super && k->super->bytes > aligned))
        return false;
    for (uint32_t i = 0; i < k->field_count; i++) {
        const struct heap_field *f = &k->fields[i];
        if (f->offset + bytes_of_field(c, f) > k->bytes ||
            (f->flat && f->is_nullable && !has_marker(f->flat)))
            return false;
    }
    for (uint32_t i = 0; i < k->run_count; i++) {
        const struct heap_oops *r = &k->runs[i];
        if (r->offset + (uint64_t)r->count * c->heap->reference_bytes > k->bytes)
            return false;
    }
    return true;
}

static int read_instance(struct heap_classes *c, struct heap_class *k, int32_t layout)
{
    int error = read_value(c, k);
    if (error == 0)
        error = read_fields(c, k);
    if (error == 0)
        error = read_runs(c, k);
    if (error < 0)
        return error;
    k->bytes = (uint32_t)layout & ~7u;
    if (!has_whole_fields(c, k))
        return E_VM_STATE;
    read_resolved(c, k);
    if (symbol_is(c->heap, k->name, "java/lang/Class")) {
        if (k->bytes > MIRROR_MAX)
            return E_VM_STATE;
        k->kind = HEAP_MIRROR;
        if (c->class_klass == 0) /* JDK 8 may have a second one, made by a redefinition */
            c->class_klass = k->klass;
    } else if (symbol_is(c->heap, k->name, "jdk/internal/vm/StackChunk")) {
        k->kind = HEAP_STACK_CHUNK;
        c->chunk_size = (int32_t)heap_class_field(c, k, "size");
        c->chunk_flags = (int32_t)heap_class_field(c, k, "flags");
    }
    if (k->kind == HEAP_INSTANCE)
        k->bytes = (k->bytes + c->heap->align - 1) & ~(c->heap->align - 1);
    find_strength(c, k);
    return 0;
}

/* Whether the numbers of an array class are those of one: the walk relies on them. */
static bool is_array_layout(const struct heap_classes *c, const struct heap_class *k)
{
    uint32_t head = k->array.header_bytes,
             bytes = heap_class_value_bytes(
                 c->heap, k->kind == HEAP_OBJECT_ARRAY ? HEAP_OBJECT : k->array.element_type);
    return head >= (uint32_t)c->heap->oops.array_length + 4 && head <= ARRAY_HEADER_MAX &&
           k->array.element_shift <= 3 && 1u << k->array.element_shift == bytes;
}

static int read_array(const struct heap_classes *c, struct heap_class *k, uint32_t layout)
{
    k->array.header_bytes = (layout >> 16) & 255;
    k->array.element_shift = layout & 63;
    k->kind = HEAP_OBJECT_ARRAY;
    if (layout >> 30 == 3) {
        k->kind = HEAP_PRIMITIVE_ARRAY;
        k->array.element_type = (enum heap_type)((layout >> 8) & 255);
        if (k->array.element_type < HEAP_BOOLEAN || k->array.element_type > HEAP_LONG)
            return E_VM_STATE;
    }
    return is_array_layout(c, k) ? 0 : E_VM_STATE;
}

static int read_class(struct heap_classes *c, struct heap_class *k)
{
    const struct target *t = c->heap->target;
    const struct hs_layout *l = t->layout;
    int32_t layout = (int32_t)target_u4(t, k->klass + (uint64_t)c->facts.layout_helper);
    uint64_t mirror_at = k->klass + (uint64_t)l->klass_mirror;
    k->name = find_u8(c, k->klass, l->klass_name);
    k->mirror = follow_handle(c, mirror_at, l->version >= RELEASE_MIRROR_HANDLES);
    if (k->name == 0 || layout == 0 || (k->mirror != 0 && !heap_has(c->heap, k->mirror)))
        return E_VM_STATE;
    return layout < 0 ? read_array(c, k, (uint32_t)layout) : read_instance(c, k, layout);
}

/* The names must be compared, because the VM does not list the class of filler arrays. */
static bool is_filler(const struct heap_classes *c, uint64_t klass)
{
    uint64_t name = find_u8(c, klass, c->heap->target->layout->klass_name);
    return name != 0 && (symbol_is(c->heap, name, "[Ljdk/internal/vm/FillerElement;") ||
                         symbol_is(c->heap, name, "jdk/internal/vm/FillerObject"));
}

/* The tag: the highest four bits of a layout helper. */
static uint32_t array_tag(const struct heap_classes *c, uint64_t klass)
{
    return target_u4(c->heap->target, klass + (uint64_t)c->facts.layout_helper) >> 28;
}

/*
 * Since JDK 28 an array of objects points to a RefArrayKlass or a FlatArrayKlass, which no list of
 * classes contains. Its mirror is that of an ObjArrayKlass, which is listed. Returns the
 * ObjArrayKlass; for every other class returns `klass`.
 */
static uint64_t listed_klass(const struct heap_classes *c, uint64_t klass)
{
    const struct target *t = c->heap->target;
    uint64_t mirror_at = (uint64_t)t->layout->klass_mirror;
    if (t->layout->version < RELEASE_REFINED_ARRAYS)
        return klass;
    uint32_t tag = array_tag(c, klass);
    if (tag != OBJECT_ARRAY_TAG && tag != FLAT_ARRAY_TAG)
        return klass;
    uint64_t mirror = follow_handle(c, klass + mirror_at, 1);
    if (mirror == 0 || !heap_has(c->heap, mirror))
        return klass;
    uint64_t listed = heap_u8(c->heap, mirror + (uint64_t)c->facts.mirror_klass);
    return follow_handle(c, listed + mirror_at, 1) == mirror ? listed : klass;
}

/* Enters `klass` as a second address of the class `listed`. */
static struct heap_class *refined(struct heap_classes *c, uint64_t klass, uint64_t listed)
{
    struct heap_class *k = heap_class_at(c, listed);
    if (!k)
        return NULL;
    if (grow(c) < 0) {
        c->out_of_memory = 1;
        return NULL;
    }
    uint32_t layout = target_u4(c->heap->target, klass + (uint64_t)c->facts.layout_helper);
    struct heap_class seen = *k;
    seen.array.header_bytes = (layout >> 16) & 255;
    seen.array.element_shift = layout & 63;
    if (!is_array_layout(c, &seen))
        return NULL;
    k->array = seen.array;
    enter(c, klass, k);
    c->refined_count++;
    return k;
}

/* Whether the references of a value lie within its element. */
static bool is_flat_layout(const struct heap_classes *c, const struct heap_class *value,
                           uint32_t layout)
{
    uint32_t shift = layout & 63, head = (layout >> 16) & 255;
    if (shift >= 16 || head < (uint32_t)c->heap->oops.array_length + 4 || head > ARRAY_HEADER_MAX ||
        value->bytes - value->value.payload > (1u << shift) + FLAT_PADDING)
        return false;
    for (uint32_t i = 0; i < value->run_count; i++) {
        const struct heap_oops *r = &value->runs[i];
        if (r->offset < value->value.payload ||
            r->offset - value->value.payload + (uint64_t)r->count * c->heap->reference_bytes >
                (uint64_t)1 << shift)
            return false;
    }
    return true;
}

/* The class of a flat array; one class of Java may have several. */
static struct heap_class *flat_array(struct heap_classes *c, uint64_t klass, uint64_t listed)
{
    uint32_t layout = target_u4(c->heap->target, klass + (uint64_t)c->facts.layout_helper);
    const char *missing = missing_of_values(&c->facts.values);
    if (*missing || read_kind(c, klass) != c->facts.values.flat_kind) {
        miss(c, *missing ? missing : "the class of a flat array");
        return NULL;
    }
    struct heap_class *seen = heap_class_at(c, listed);
    struct heap_class *element = heap_class_at(c, find_u8(c, klass, c->facts.element_klass));
    if (!seen || !element)
        return NULL;
    bool is_nullable = (layout & NULL_FREE) == 0;
    uint32_t marker = element->value.marker - element->value.payload;
    if (element->value.payload == 0 || (is_nullable && marker >> (layout & 63) != 0) ||
        !is_flat_layout(c, element, layout)) {
        miss(c, "the class of a flat array");
        return NULL;
    }
    struct heap_class *k = grow(c) < 0 ? NULL : arena_alloc(c->arena, sizeof(*k));
    if (!k) {
        c->out_of_memory = 1;
        return NULL;
    }
    *k = (struct heap_class){.klass = klass,
                             .mirror = seen->mirror,
                             .name = seen->name,
                             .next = c->flat_arrays,
                             .kind = HEAP_FLAT_ARRAY,
                             .array = {.header_bytes = (layout >> 16) & 255,
                                       .element_shift = layout & 63,
                                       .element = element,
                                       .is_nullable = is_nullable,
                                       .listed = seen}};
    c->flat_arrays = k;
    c->has_flat = true;
    enter(c, klass, k);
    c->refined_count++;
    return k;
}

void heap_class_share_users(struct heap_classes *c)
{
    for (struct heap_class *k = c->flat_arrays; k; k = k->next)
        k->user = k->array.listed->user;
}

/* Reads a class that is not in the table. */
static struct heap_class *read_new(struct heap_classes *c, uint64_t klass)
{
    struct heap_class *k;
    uint64_t listed = listed_klass(c, klass);
    if (listed != klass)
        return array_tag(c, klass) == FLAT_ARRAY_TAG ? flat_array(c, klass, listed)
                                                     : refined(c, klass, listed);
    /* The superclass is read first, because heap_class_field() looks there too. */
    uint64_t super = find_u8(c, klass, c->heap->oops.klass_super);
    struct heap_class *super_class = super == 0 || super == klass ? NULL : heap_class_at(c, super);
    if (super != 0 && super != klass && !super_class)
        return NULL;
    if (grow(c) < 0 || !(k = arena_alloc(c->arena, sizeof(*k)))) {
        c->out_of_memory = 1;
        return NULL;
    }
    k->klass = klass;
    k->super = super_class;
    if (read_class(c, k) != 0)
        return NULL;
    k->is_filler = is_filler(c, klass);
    enter(c, klass, k);
    c->count++;
    *c->last = k;
    c->last = &k->next;
    if (k->kind == HEAP_OBJECT_ARRAY)
        k->array.element = heap_class_at(c, find_u8(c, klass, c->facts.element_klass));
    return k;
}

/* Whether a class that is not in the table belongs to one that is, or is that of fillers. */
static bool is_known(struct heap_classes *c, uint64_t klass)
{
    uint64_t listed = listed_klass(c, klass);
    return (listed != klass && heap_class_find(c, listed)) || is_filler(c, klass);
}

struct heap_class *heap_class_at(struct heap_classes *c, uint64_t klass)
{
    if (klass == 0 || (klass & 7) != 0)
        return NULL;
    struct heap_class *k = heap_class_find(c, klass);
    if (k)
        return k;
    if (c->depth == DEPTH_MAX || (c->is_closed && !is_known(c, klass)))
        return NULL;
    c->depth++;
    k = read_new(c, klass);
    c->depth--;
    return k;
}

struct heap_class *heap_class_known(struct heap_classes *c, uint64_t klass)
{
    if (klass == 0 || (klass & 7) != 0)
        return NULL;
    struct heap_class *k = heap_class_find(c, klass);
    return k || !is_known(c, klass) ? k : heap_class_at(c, klass);
}

bool heap_class_is_mirror(const struct heap_classes *c, uint64_t object)
{
    const struct heap_class *k = heap_class_find(c, heap_klass(c->heap, object));
    return k && k->kind == HEAP_MIRROR;
}

struct heap_class *heap_class_of_mirror(struct heap_classes *c, uint64_t mirror)
{
    uint64_t klass = heap_class_is_mirror(c, mirror)
                         ? heap_u8(c->heap, mirror + (uint64_t)c->facts.mirror_klass)
                         : 0;
    return klass == 0 ? NULL : heap_class_at(c, klass);
}

bool heap_class_holds_static(const struct heap_classes *c, uint64_t mirror,
                             const struct heap_field *field)
{
    uint64_t bytes = (uint64_t)heap_u4(c->heap, mirror + (uint64_t)c->facts.mirror_size) * 8;
    return field->offset + (uint64_t)heap_class_value_bytes(c->heap, field->type) <= bytes &&
           bytes <= c->heap->high - mirror;
}

static uint64_t chunk_bytes(const struct heap_classes *c, const struct heap_class *k,
                            uint64_t object)
{
    uint64_t words = heap_u4(c->heap, object + (uint64_t)c->chunk_size);
    uint64_t bits = c->heap->reference_bytes == 4 ? words * 2 : words;
    return k->bytes + words * 8 + (bits + 63) / 64 * 8;
}

uint64_t heap_class_object_bytes(const struct heap_classes *c, const struct heap_class *k,
                                 uint64_t object)
{
    uint64_t bytes = k->bytes, align = c->heap->align;
    if (k->array.header_bytes != 0)
        bytes = k->array.header_bytes +
                ((uint64_t)heap_array_length(c->heap, object) << k->array.element_shift);
    else if (k->kind == HEAP_MIRROR)
        bytes = (uint64_t)heap_u4(c->heap, object + (uint64_t)c->facts.mirror_size) * 8;
    else if (k->kind == HEAP_STACK_CHUNK && c->chunk_size > 0)
        bytes = chunk_bytes(c, k, object);
    return (bytes + align - 1) & ~(align - 1);
}
