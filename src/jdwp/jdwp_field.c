/*
 * jdwp_field.c - see jdwp_field.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_field.h"
#include "safe/hs_method.h"
#include "snapshot/snapshot.h"

enum { NUMBER_BITS = 16, NUMBER_MASK = (1 << NUMBER_BITS) - 1 };

uint64_t jdwp_field_id(const struct jdwp_class *c, const struct klass_field *f)
{
    return c->klass << NUMBER_BITS | (f->index & NUMBER_MASK);
}

bool jdwp_field_find(const struct jdwp_vm *vm, uint64_t id, struct jdwp_field *ret_field)
{
    const struct target *t = &vm->snapshot->target;
    struct mem_view view = {.mem = t->mem};
    struct klass_fields fields;
    ret_field->of = jdwp_vm_class(vm, id >> NUMBER_BITS);
    if (!ret_field->of || ret_field->of->type == JDWP_TYPE_ARRAY)
        return false;
    klass_fields_begin(&fields, &vm->snapshot->oops.fields, ret_field->of->klass);
    while (klass_fields_next(&fields, &ret_field->field)) {
        if (ret_field->field.index == (id & NUMBER_MASK))
            return hs_method_symbol_text(&view, t->layout, ret_field->field.signature,
                                         &ret_field->type, 1) == 1;
    }
    return false;
}
