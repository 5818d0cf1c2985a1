/*
 * jdwp_field.h - fields by the ids that a debugger has of them.
 *
 * An id is the address of the class that declares the field, times 65536, plus the field's number
 * there. Addresses of classes have at most 48 bits.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "hotspot/klass_fields.h"
#include "jdwp/jdwp_vm.h"

struct jdwp_field {
    const struct jdwp_class *of; /* the class that declares it */
    struct klass_field field;
    char type; /* the first character of its signature */
};

uint64_t jdwp_field_id(const struct jdwp_class *c, const struct klass_field *f);
/** Find a field. Returns false if there is none with this id, or if it cannot be read. */
bool jdwp_field_find(const struct jdwp_vm *vm, uint64_t id, struct jdwp_field *ret_field);
