/*
 * jdwp_answer.h - the answers to the commands of a debugger, for the files of this folder.
 *
 * Each function reads what follows the head of its command and writes the data of the reply, or
 * fails the reply with an error of JDWP that fits. jdwp_command.def says which answers which.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "jdwp/jdwp_vm.h"

typedef void jdwp_answer(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out);

#define COMMAND(set, number, function) jdwp_answer function;
#define NOTHING(set, number)
#define REFUSED(set, number)
#include "jdwp/jdwp_command.def"
#undef COMMAND
#undef NOTHING
#undef REFUSED

/** The class whose id comes next; if there is none, the reply fails and NULL is returned. */
const struct jdwp_class *jdwp_type_take(struct jdwp_vm *vm, struct rd *in,
                                        struct jdwp_wire_reply *out);
/** The object whose id comes next, and its class; 0 and a failed reply if it cannot be read. */
uint64_t jdwp_object_take(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                          const struct jdwp_class **ret_class);

/** The state of a class, in the bits of JDWP. Returns whether it can be read. */
bool jdwp_type_read_status(struct jdwp_vm *vm, const struct jdwp_class *c, uint32_t *ret_status);
/** Write the generic signature of a class; an empty text if it has none. */
void jdwp_type_put_generic(struct jdwp_vm *vm, const struct jdwp_class *c,
                           struct jdwp_wire_reply *out);

/** The group of a thread, and the parent of a group; 0: none. They return whether it can be
 * read. */
bool jdwp_group_of_thread(struct jdwp_vm *vm, uint64_t thread, uint64_t *ret_group);
bool jdwp_group_parent_of(struct jdwp_vm *vm, uint64_t group, uint64_t *ret_parent);

/** Write the value of the type that `signature` begins with, which lies at `addr` of the heap. */
void jdwp_value_put(struct jdwp_vm *vm, struct jdwp_wire_reply *out, uint64_t addr, char signature,
                    bool has_tag);
/** Bytes of a value of a primitive type; 0: the type is none. */
unsigned jdwp_value_bytes(char signature);

/** Answer a request for values of fields: their number and ids, which `in` has, of an object of
 * class `c`; object 0: of statics alone. */
void jdwp_value_put_fields(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                           const struct jdwp_class *c, uint64_t object);
/** Write a value whose bytes are those of the VM, in its byte order. */
void jdwp_value_put_bytes(struct jdwp_wire_reply *out, const void *bytes, unsigned count);
