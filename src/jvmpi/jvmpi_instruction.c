/*
 * jvmpi_instruction.c - see jvmpi_instruction.h.
 *
 * JVM TI's SingleStep says which instruction begins. The way that a branch takes is computed from
 * its operands (vm/vm_step.h). Java code that a handler of the event runs is not told, because that
 * would never end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_instruction.h"
#include <stdbool.h>
#include <string.h>
#include "base/be.h"
#include "classfile/bytecode.h"
#include "classfile/unwoven.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_bytecode.h"
#include "jvmpi/jvmpi_send.h"
#include "jvmpi/jvmpi_thread.h"
#include "vm/vm_step.h"
#include "vm/vmself.h"

/* ---- the way of a branch */

/* Compare two ints. The instructions ifeq ... ifle compare with zero, if_icmpeq ... if_icmple with
 * the topmost int. */
static bool compares(uint8_t op, uint8_t first, int32_t a, int32_t b)
{
    switch (op - first) {
    case 0:
        return a == b;
    case 1:
        return a != b;
    case 2:
        return a < b;
    case 3:
        return a >= b;
    case 4:
        return a > b;
    default:
        return a <= b;
    }
}

static bool is_taken(uint8_t op, const struct vm_step *s)
{
    if (op < OP_IF_ICMPEQ)
        return compares(op, OP_IFEQ, vm_step_int(s), 0);
    if (op < OP_IF_ACMPEQ)
        return compares(op, OP_IF_ICMPEQ, vm_step_int_below(s), vm_step_int(s));
    switch (op) {
    case OP_IF_ACMPEQ:
        return vm_step_is_same(s);
    case OP_IF_ACMPNE:
        return !vm_step_is_same(s);
    case OP_IFNULL:
        return vm_step_is_null(s);
    default:
        return !vm_step_is_null(s);
    }
}

/* The pair with the key, counted from 0; `count` if no pair has the key. */
static int32_t pair_of(const uint8_t *pairs, int32_t count, int32_t key)
{
    enum { PAIR_BYTES = 8 };
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (be_s4(pairs + (size_t)middle * PAIR_BYTES) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && be_s4(pairs + (size_t)low * PAIR_BYTES) == key ? low : count;
}

static void add_way(JVMPI_Event *e, const struct jvmpi_bytecode *b, uint32_t place,
                    const struct vm_step *s)
{
    enum { LOW = 4, HIGH = 8, COUNT = 4, PAIRS = 8 }; /* offsets behind the offset of the default */
    const uint8_t *words;
    int32_t count;
    switch (opcode_kind_of(b->code[place])) {
    case OPCODE_IF:
        e->u.instruction.u.if_info.is_true = is_taken(b->code[place], s);
        break;
    case OPCODE_TABLE:
        words = b->code + bytecode_switch_words(place);
        e->u.instruction.u.tableswitch_info.key = vm_step_int(s);
        e->u.instruction.u.tableswitch_info.low = be_s4(words + LOW);
        e->u.instruction.u.tableswitch_info.hi = be_s4(words + HIGH);
        break;
    case OPCODE_LOOKUP:
        words = b->code + bytecode_switch_words(place);
        count = be_s4(words + COUNT);
        e->u.instruction.u.lookupswitch_info.pairs_total = count;
        e->u.instruction.u.lookupswitch_info.chosen_pair_index =
            pair_of(words + PAIRS, count, vm_step_int(s));
        e->u.instruction.u.lookupswitch_info.is_default =
            e->u.instruction.u.lookupswitch_info.chosen_pair_index == count;
        break;
    default:
        break;
    }
}

/* ---- the event */

/* Whether the VM reports the same return a second time. The step becomes the thread's last step.
 * Only returns are stored completely: copying data that the VM has just written has a cost. */
static bool is_again(struct jvmpi_thread *t, const struct jvmpi_bytecode *b, uint32_t place,
                     const struct vm_step *s)
{
    bool is_again;
    if (opcode_kind_of(b->code[place]) != OPCODE_RETURN) {
        t->step.is_return = false;
        return false;
    }
    is_again =
        t->step.is_return && t->step.place == place && vm_step_is_again(s, &t->step.at, place);
    t->step.at = *s;
    t->step.place = place;
    t->step.is_return = true;
    return is_again;
}

/* Fill in the event. Returns the agents that are to hear of the step; 0: no instruction of the
 * program begins. */
static jvmpi_agents describe(JNIEnv *env, struct jvmpi_thread *t, jmethodID method, uint32_t place,
                             JVMPI_Event *e)
{
    jvmpi_agents agents = jvmpi_send_wanted(JVMPI_EVENT_INSTRUCTION_START);
    const struct jvmpi_bytecode *b;
    struct vm_step s;
    if (!agents || !vm_step_look(env, &s))
        return 0;
    b = jvmpi_bytecode_of(env, method, s.version);
    if (!b->code || place >= b->len || is_again(t, b, place, &s) ||
        (b->offsets && b->offsets[place] == UNWOVEN_NONE))
        return 0;
    e->event_type = JVMPI_EVENT_INSTRUCTION_START;
    e->env_id = env;
    memset(&e->u.instruction, 0, sizeof(e->u.instruction));
    e->u.instruction.method_id = b->method;
    e->u.instruction.offset = b->offsets ? b->offsets[place] : (jint)place;
    add_way(e, b, place, &s);
    return agents;
}

/* The callback of SingleStep. The parts of the event that do not belong to this instruction are not
 * written, because no agent reads them. */
static void JNICALL on_step(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method,
                            jlocation location)
{
    JVMPI_Event e;
    struct jvmpi_thread *t = jvmpi_thread_step_begin(env);
    jvmpi_agents agents;
    if (!t)
        return;
    agents = t->step.is_told ? 0 : describe(env, t, method, (uint32_t)location, &e);
    if (agents) {
        t->step.is_told = true;
        jvmpi_send_counted(agents, &e);
        t->step.is_told = false;
    }
    jvmpi_thread_step_end(t);
}

/* ---- on and off */

/* RewriteFrequentPairs is turned off, because the interpreter would run two frequent instructions
 * as one. */
void jvmpi_instruction_open(void)
{
    if (vm_step_open(&jvmpi_bridge.vm, on_step) == 0)
        vmself_turn_off("RewriteFrequentPairs");
    jvmpi_thread_step_open();
    jvmpi_bytecode_open();
}

int jvmpi_instruction_on(JNIEnv *env)
{
    int error = vm_step_learn(&jvmpi_bridge.vm, env);
    return error ? error : vm_step_turn(&jvmpi_bridge.vm, JVMTI_ENABLE);
}

/* If a handler may still use the bytecode, it is kept until the event is turned off the next
 * time. */
void jvmpi_instruction_off(void)
{
    vm_step_turn(&jvmpi_bridge.vm, JVMTI_DISABLE);
    if (jvmpi_send_settle())
        jvmpi_bytecode_forget();
}
