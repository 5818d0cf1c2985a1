/*
 * jdwp_value.c - values in replies: numbers and references, each behind a tag for its type.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "jdwp/jdwp_answer.h"
#include "jdwp/jdwp_field.h"
#include "snapshot/snapshot.h"

unsigned jdwp_value_bytes(char signature)
{
    switch (signature) {
    case 'Z':
    case 'B':
        return 1;
    case 'C':
    case 'S':
        return 2;
    case 'I':
    case 'F':
        return 4;
    case 'J':
    case 'D':
        return 8;
    default:
        return 0;
    }
}

void jdwp_value_put_bytes(struct jdwp_wire_reply *out, const void *bytes, unsigned count)
{
    uint64_t v8;
    uint32_t v4;
    uint16_t v2;
    switch (count) {
    case 1:
        jdwp_wire_u1(out, *(const uint8_t *)bytes);
        break;
    case 2:
        memcpy(&v2, bytes, sizeof(v2));
        jdwp_wire_u2(out, v2);
        break;
    case 4:
        memcpy(&v4, bytes, sizeof(v4));
        jdwp_wire_u4(out, v4);
        break;
    default:
        memcpy(&v8, bytes, sizeof(v8));
        jdwp_wire_u8(out, v8);
    }
}

void jdwp_value_put(struct jdwp_vm *vm, struct jdwp_wire_reply *out, uint64_t addr, char signature,
                    bool has_tag)
{
    unsigned bytes = jdwp_value_bytes(signature);
    uint64_t value = 0;
    if (bytes == 0 && signature != 'L' && signature != '[') {
        jdwp_wire_fail(out, JDWP_INTERNAL);
    } else if (bytes == 0) {
        if (!oops_load(&vm->snapshot->oops, addr, &value))
            jdwp_wire_fail(out, JDWP_INVALID_OBJECT);
        jdwp_vm_put_tagged(vm, out, value, (uint8_t)signature);
    } else if (!jdwp_vm_read(vm, addr, &value, bytes)) {
        jdwp_wire_fail(out, JDWP_INVALID_OBJECT);
    } else {
        if (has_tag)
            jdwp_wire_u1(out, (uint8_t)signature);
        jdwp_value_put_bytes(out, &value, bytes);
    }
}

void jdwp_value_put_fields(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                           const struct jdwp_class *c, uint64_t object)
{
    uint32_t count = rd_u4(in);
    if (count > rd_left(in) / JDWP_WIRE_ID)
        jdwp_wire_fail(out, JDWP_ILLEGAL_ARGUMENT);
    jdwp_wire_u4(out, count);
    for (uint32_t i = 0; i < count && out->error == JDWP_OK; i++) {
        struct jdwp_field f;
        if (!jdwp_field_find(vm, rd_u8(in), &f) || !jdwp_vm_is_kind(vm, c, f.of) ||
            (object == 0 && !f.field.is_static)) {
            jdwp_wire_fail(out, JDWP_INVALID_FIELDID);
            return;
        }
        if (f.field.is_flat) /* the object of a value class has no address, so no id */
            jdwp_wire_fail(out, JDWP_NOT_IMPLEMENTED);
        uint64_t at =
            f.field.is_static ? oops_klass_mirror(&vm->snapshot->oops, f.of->klass) : object;
        if (at == 0)
            jdwp_wire_fail(out, JDWP_INTERNAL);
        jdwp_value_put(vm, out, at + f.field.offset, f.type, true);
    }
}
