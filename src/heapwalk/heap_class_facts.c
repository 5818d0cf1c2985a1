/*
 * heap_class_facts.c - see heap_class_facts.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapwalk/heap_class_facts.h"
#include "hotspot/target.h"

static int32_t static_int(const struct target *t, const char *name)
{
    return (int32_t)target_static_value(t, "java_lang_Class", name, 4);
}

static void find_values(const struct target *t, struct heap_class_value_facts *f)
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

const char *heap_class_facts_of_values(const struct heap_class_value_facts *f)
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

const char *heap_class_facts_find(const struct target *t, struct heap_class_facts *f)
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
    find_values(t, &f->values);
    f->mirror_klass = static_int(t, "_klass_offset");
    f->mirror_array = static_int(t, "_array_klass_offset");
    f->mirror_size = static_int(t, "_oop_size_offset");
    return f->layout_helper < 0     ? "Klass::_layout_helper"
           : f->klass_vtable < 0    ? "Klass::_vtable_len"
           : f->klass_itable < 0    ? "InstanceKlass::_itable_len"
           : f->klass_oop_map < 0   ? "InstanceKlass::_nonstatic_oop_map_size"
           : f->klass_reference < 0 ? "InstanceKlass::_reference_type"
           : f->element_klass < 0   ? "ObjArrayKlass::_element_klass"
           : size == 0              ? "sizeof(InstanceKlass)"
           : f->mirror_klass <= 0   ? "java_lang_Class::_klass_offset"
           : f->mirror_size <= 0    ? "java_lang_Class::_oop_size_offset"
                                    : "";
}
