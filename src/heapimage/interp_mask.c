/*
 * interp_mask.c - see interp_mask.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapimage/interp_mask.h"
#include <stdlib.h>
#include <string.h>
#include "classfile/opcode.h"
#include "heapimage/interp_op.h"
#include "hotspot/target.h"
#include "safe/hs_method.h"

enum {
    STATES_MAX = 16 << 20, /* bytes of the states of one method */
    WORK_MAX = 200000000,  /* instructions and cells, of all methods */
    DESCRIPTOR_MAX = 4096,
    CELLS_MAX = 0x20000,
    HANDLERS_MAX = 4096,
    ACC_STATIC = 0x0008,
    /* tags of constants that are no references, of those that ldc loads */
    TAG_INTEGER = 3,
    TAG_FLOAT = 4,
    TAG_DYNAMIC = 17,
    TAG_DYNAMIC_BROKEN = 106,
};

/* What a cell may hold, as bits: it holds a reference if nothing else is possible. */
enum { CELL_REF = 1, CELL_VALUE = 2, CELL_UNSET = 4 };

/* ---- one method */

struct block {
    bool has_state, is_changed;
    uint32_t depth;
};

struct handler {
    uint16_t start, end, at;
};

struct flow {
    struct interp_mask *m;
    struct method_debug method;
    uint8_t *code; /* with a margin of zeros */
    uint32_t code_size, locals, cells;
    int32_t *block_of; /* by bci; -1: no block begins there */
    struct block *blocks;
    uint32_t block_count;
    uint8_t *states; /* of each block: `cells` bytes */
    struct handler *handlers;
    uint32_t handler_count;
    uint8_t *now; /* the state at `bci` */
    uint32_t depth, bci;
    uint8_t op; /* the bytecode at `bci`, of a class file */
    bool is_object_constant;
    bool is_broken;
};

static int32_t s2_at(const struct flow *f, uint32_t at)
{
    return (int16_t)(f->code[at] << 8 | f->code[at + 1]);
}

static int32_t s4_at(const struct flow *f, uint32_t at)
{
    return (int32_t)((uint32_t)f->code[at] << 24 | (uint32_t)f->code[at + 1] << 16 |
                     (uint32_t)f->code[at + 2] << 8 | f->code[at + 3]);
}

/* How many targets a switch has, but for the default; its operands begin at `at`. */
static uint32_t switch_count(const struct flow *f, uint32_t at)
{
    if (f->op == OP_LOOKUPSWITCH)
        return (uint32_t)s4_at(f, at + 4);
    return (uint32_t)s4_at(f, at + 8) - (uint32_t)s4_at(f, at + 4) + 1;
}

static uint32_t length(const struct flow *f)
{
    uint32_t operands = (f->bci & ~3u) + 4;
    switch (opcode_kind_of(f->op)) {
    case OPCODE_TABLE:
    case OPCODE_LOOKUP: {
        if (operands + 12 > f->code_size)
            return 0;
        uint32_t count = switch_count(f, operands), bytes = f->op == OP_LOOKUPSWITCH ? 8 : 4;
        if (count > f->code_size / bytes)
            return 0;
        return operands - f->bci + (f->op == OP_LOOKUPSWITCH ? 8 : 12) + count * bytes;
    }
    case OPCODE_WIDE:
        return f->code[f->bci + 1] == OP_IINC ? 6 : 4;
    default:
        return opcode_length_of(f->op);
    }
}

/* Reads the bytecode at `bci`. Returns its length; 0: it is none, or reaches over the end. */
static uint32_t fetch(struct flow *f, uint32_t bci)
{
    f->bci = bci;
    f->op = interp_op_of(f->m->target, f->code[bci], &f->is_object_constant);
    uint32_t bytes = f->op == 0xff ? 0 : length(f);
    return bytes == 0 || bytes > f->code_size - bci ? 0 : bytes;
}

static void each_target(struct flow *f, void (*visit)(struct flow *f, uint32_t target))
{
    uint32_t operands = (f->bci & ~3u) + 4;
    switch (opcode_kind_of(f->op)) {
    case OPCODE_IF:
    case OPCODE_GOTO:
        visit(f, f->bci + (uint32_t)s2_at(f, f->bci + 1));
        break;
    case OPCODE_GOTO_W:
        visit(f, f->bci + (uint32_t)s4_at(f, f->bci + 1));
        break;
    case OPCODE_TABLE:
    case OPCODE_LOOKUP: {
        uint32_t count = switch_count(f, operands), step = f->op == OP_LOOKUPSWITCH ? 8 : 4;
        visit(f, f->bci + (uint32_t)s4_at(f, operands));
        for (uint32_t i = 0; i < count; i++)
            visit(f, f->bci + (uint32_t)s4_at(f, operands + 12 + i * step));
        break;
    }
    default:
        break;
    }
}

/* ---- what the constant pool says */

/* The index of the constant pool for an index of its cache; 0: not known. */
static uint32_t pool_index(const struct flow *f, const struct interp_mask_entries *e,
                           uint32_t index)
{
    const struct target *t = f->m->target;
    uint64_t cache = target_u8(t, f->method.pool + (uint64_t)f->m->cache), at;
    uint16_t pool = 0;
    if (e->bytes <= 0 || cache < 4096)
        return 0;
    at = e->list < 0 ? cache : target_u8(t, cache + (uint64_t)e->list);
    at += (uint64_t)e->first + (uint64_t)index * (uint64_t)e->bytes + (uint64_t)e->index;
    return at < 4096 || mem_read(t->mem, at, &pool, sizeof(pool)) < 0 ? 0 : pool;
}

static uint32_t pool_word(const struct flow *f, uint32_t index)
{
    return (uint32_t)method_debug_symbol(&f->method, index);
}

static int copy_symbol(const struct flow *f, uint32_t index, char *text)
{
    const struct target *t = f->m->target;
    struct mem_view view = {.mem = t->mem};
    uint64_t symbol = method_debug_symbol(&f->method, index);
    int len =
        symbol == 0 ? -1 : hs_method_symbol_text(&view, t->layout, symbol, text, DESCRIPTOR_MAX);
    if (len <= 0 || len >= DESCRIPTOR_MAX)
        return -1;
    text[len] = 0;
    return len;
}

/* Copies the descriptor of the field or method that the bytecode names. Returns its length, or -1.
 * A constant that names a field or a method has the index of a name with type in its upper half;
 * that has the index of the descriptor there. */
static int descriptor(const struct flow *f, char *text)
{
    const struct interp_mask_entries *e = &f->m->calls;
    uint32_t index = f->code[f->bci + 1] | (uint32_t)f->code[f->bci + 2] << 8;
    if (f->op == OP_INVOKEDYNAMIC) {
        index |= (uint32_t)f->code[f->bci + 3] << 16 | (uint32_t)f->code[f->bci + 4] << 24;
        index = (int32_t)index < 0 ? ~index : index; /* the VM marks it so to JDK 23 */
        e = &f->m->dynamics;
    } else if (f->op < OP_INVOKEVIRTUAL) {
        e = &f->m->fields;
    }
    uint32_t name = index > 0xffff ? 0 : pool_word(f, pool_index(f, e, index)) >> 16;
    return name == 0 ? -1 : copy_symbol(f, pool_word(f, name) >> 16, text);
}

/* Whether the constant that ldc loads is a reference; -1: not known. */
static int loads_reference(const struct flow *f)
{
    const struct target *t = f->m->target;
    uint32_t index =
        f->op == OP_LDC ? f->code[f->bci + 1] : (uint32_t)s2_at(f, f->bci + 1) & 0xffff;
    uint64_t tags = target_u8(t, f->method.pool + (uint64_t)f->m->tags);
    uint8_t tag;
    if (f->is_object_constant)
        return 1;
    if (tags < 4096 || index >= target_u4(t, tags) ||
        mem_read(t->mem, tags + 4 + index, &tag, 1) < 0)
        return -1;
    return tag != TAG_INTEGER && tag != TAG_FLOAT && tag != TAG_DYNAMIC &&
           tag != TAG_DYNAMIC_BROKEN;
}

/* ---- cells */

static void push(struct flow *f, uint8_t cell)
{
    if (f->locals + f->depth >= f->cells)
        f->is_broken = true;
    else
        f->now[f->locals + f->depth++] = cell;
}

static uint8_t pop(struct flow *f)
{
    if (f->depth == 0) {
        f->is_broken = true;
        return CELL_VALUE;
    }
    return f->now[f->locals + --f->depth];
}

static void drop(struct flow *f, uint32_t count)
{
    f->is_broken |= count > f->depth;
    f->depth -= count > f->depth ? f->depth : count;
}

static void set_local(struct flow *f, uint32_t index, uint8_t cell)
{
    if (index >= f->locals)
        f->is_broken = true;
    else
        f->now[index] = cell;
}

/* Reads one type of a descriptor. Returns behind it, and how many cells it has: 0 for void, and
 * whether it is a reference. NULL: it is no type. */
static const char *take_type(const char *at, uint32_t *ret_cells, bool *ret_is_ref)
{
    *ret_is_ref = *at == 'L' || *at == '[' || *at == 'Q';
    *ret_cells = *at == 'J' || *at == 'D' ? 2 : *at == 'V' ? 0 : 1;
    while (*at == '[')
        at++;
    if (*at == 'L' || *at == 'Q') {
        at = strchr(at, ';');
        return at ? at + 1 : NULL;
    }
    return *at && strchr("BCDFIJSVZ", *at) ? at + 1 : NULL;
}

static void push_type(struct flow *f, const char *type)
{
    uint32_t cells;
    bool is_ref;
    if (!take_type(type, &cells, &is_ref))
        f->is_broken = true;
    for (uint32_t i = 0; i < cells; i++)
        push(f, is_ref ? CELL_REF : CELL_VALUE);
}

/* The cells of the parameters. Returns the type of the result; NULL: no descriptor of a method. */
static const char *parameters(const char *text, uint32_t *ret_cells)
{
    const char *at = text[0] == '(' ? text + 1 : NULL;
    *ret_cells = 0;
    while (at && *at != ')') {
        uint32_t cells;
        bool is_ref;
        at = take_type(at, &cells, &is_ref);
        *ret_cells += cells;
    }
    return at ? at + 1 : NULL;
}

/* ---- one instruction */

/* Takes the arguments of a call. Returns the type of its result; NULL: not known. */
static const char *take_arguments(struct flow *f, char *text)
{
    uint32_t cells;
    const char *result = descriptor(f, text) < 0 ? NULL : parameters(text, &cells);
    if (!result)
        return NULL;
    drop(f, cells + (f->op != OP_INVOKESTATIC && f->op != OP_INVOKEDYNAMIC));
    return result;
}

static void call(struct flow *f)
{
    char text[DESCRIPTOR_MAX];
    const char *result = take_arguments(f, text);
    if (result)
        push_type(f, result);
    else
        f->is_broken = true;
}

static void use_field(struct flow *f)
{
    char text[DESCRIPTOR_MAX];
    uint32_t cells = 0;
    bool is_ref, is_get = f->op == OP_GETSTATIC || f->op == OP_GETFIELD;
    if (descriptor(f, text) < 0 || !take_type(text, &cells, &is_ref)) {
        f->is_broken = true;
        return;
    }
    drop(f, (is_get ? 0 : cells) + (f->op >= OP_GETFIELD));
    if (is_get)
        push_type(f, text);
}

/* Copies the `copied` topmost cells below the `moved` topmost ones. */
static void dup(struct flow *f, uint32_t moved, uint32_t copied)
{
    if (f->depth < moved || f->locals + f->depth + copied > f->cells) {
        f->is_broken = true;
        return;
    }
    uint8_t *base = f->now + f->locals + f->depth - moved;
    memmove(base + copied, base, moved);
    memmove(base, base + moved, copied);
    f->depth += copied;
}

static void shuffle(struct flow *f)
{
    static const uint8_t moved[] = {1, 2, 3, 2, 3, 4}, copied[] = {1, 1, 1, 2, 2, 2};
    if (f->op != OP_SWAP) {
        dup(f, moved[f->op - OP_DUP], copied[f->op - OP_DUP]);
        return;
    }
    uint8_t top = pop(f), below = pop(f);
    push(f, top);
    push(f, below);
}

static void store(struct flow *f, uint8_t op, uint32_t index)
{
    /* istore, lstore, fstore, dstore, astore; then each with the locals 0 to 3 */
    uint32_t type = op < OP_ISTORE_0 ? op - (uint32_t)OP_ISTORE : (op - (uint32_t)OP_ISTORE_0) / 4;
    bool is_two = type == 1 || type == 3;
    uint8_t cell = pop(f);
    if (is_two)
        (void)pop(f);
    set_local(f, index, type == 4 ? cell : CELL_VALUE);
    if (is_two)
        set_local(f, index + 1, CELL_VALUE);
}

static void apply(struct flow *f, uint8_t effect)
{
    drop(f, effect >> 2);
    switch ((enum interp_op_push)(effect & 3)) {
    case INTERP_OP_PUSH_TWO:
        push(f, CELL_VALUE);
        push(f, CELL_VALUE);
        break;
    case INTERP_OP_PUSH_VALUE:
        push(f, CELL_VALUE);
        break;
    case INTERP_OP_PUSH_REF:
        push(f, CELL_REF);
        break;
    case INTERP_OP_PUSH_NONE:
        break;
    }
}

static void widened(struct flow *f)
{
    uint8_t op = f->code[f->bci + 1];
    if (op >= OP_ISTORE && op <= OP_ASTORE)
        store(f, op, (uint32_t)s2_at(f, f->bci + 2) & 0xffff);
    else if ((op >= OP_ILOAD && op <= OP_ALOAD) || op == OP_IINC)
        apply(f, interp_op_effects[op]);
    else
        f->is_broken = true; /* ret */
}

static void load_constant(struct flow *f)
{
    int answer = loads_reference(f);
    f->is_broken |= answer < 0;
    push(f, answer ? CELL_REF : CELL_VALUE);
}

static void make_array(struct flow *f)
{
    drop(f, f->code[f->bci + 3]);
    push(f, CELL_REF);
}

/* Changes the state as the instruction at `bci` does. */
static void step(struct flow *f)
{
    if (interp_op_effects[f->op] != INTERP_OP_OWN)
        apply(f, interp_op_effects[f->op]);
    else if (f->op <= OP_LDC_W)
        load_constant(f);
    else if (f->op >= OP_ISTORE && f->op <= OP_ASTORE_3)
        store(f, f->op, (uint32_t)opcode_stores(f->code + f->bci));
    else if (f->op >= OP_DUP && f->op <= OP_SWAP)
        shuffle(f);
    else if (f->op >= OP_GETSTATIC && f->op < OP_INVOKEVIRTUAL)
        use_field(f);
    else if (f->op >= OP_INVOKEVIRTUAL && f->op <= OP_INVOKEDYNAMIC)
        call(f);
    else if (f->op == OP_WIDE)
        widened(f);
    else if (f->op == OP_MULTIANEWARRAY)
        make_array(f);
    else
        f->is_broken = true; /* jsr, ret */
}

/* ---- all instructions */

static void mark_block(struct flow *f, uint32_t bci)
{
    if (bci >= f->code_size)
        f->is_broken = true;
    else
        f->block_of[bci] = 0;
}

/* Adds the state to that of the block at `bci`. */
static void merge(struct flow *f, uint32_t bci)
{
    if (bci >= f->code_size || f->block_of[bci] < 0) {
        f->is_broken = true;
        return;
    }
    struct block *b = &f->blocks[f->block_of[bci]];
    uint8_t *state = f->states + (size_t)(uint32_t)f->block_of[bci] * f->cells;
    uint32_t used = f->locals + f->depth;
    f->m->work_left -= used < f->m->work_left ? used : f->m->work_left;
    if (!b->has_state) {
        memcpy(state, f->now, used);
        *b = (struct block){.has_state = true, .is_changed = true, .depth = f->depth};
        return;
    }
    f->is_broken |= b->depth != f->depth;
    for (uint32_t i = 0; i < used && !f->is_broken; i++) {
        b->is_changed |= (f->now[i] | state[i]) != state[i];
        state[i] |= f->now[i];
    }
}

static void merge_handlers(struct flow *f)
{
    uint32_t depth = f->depth;
    uint8_t bottom = f->cells > f->locals ? f->now[f->locals] : 0;
    for (uint32_t i = 0; i < f->handler_count; i++) {
        const struct handler *h = &f->handlers[i];
        if (f->bci < h->start || f->bci >= h->end)
            continue;
        f->depth = 0;
        push(f, CELL_REF);
        merge(f, h->at);
    }
    f->depth = depth;
    if (f->cells > f->locals)
        f->now[f->locals] = bottom;
}

/* Runs the bytecodes from the block at `bci` to its end. */
static void run_block(struct flow *f, uint32_t bci)
{
    struct block *b = &f->blocks[f->block_of[bci]];
    memcpy(f->now, f->states + (size_t)(uint32_t)f->block_of[bci] * f->cells, f->locals + b->depth);
    f->depth = b->depth;
    b->is_changed = false;
    while (!f->is_broken && f->m->work_left > 0) {
        uint32_t bytes = fetch(f, bci);
        f->m->work_left--;
        if (bytes == 0) {
            f->is_broken = true;
            return;
        }
        if (interp_op_can_throw(f->op))
            merge_handlers(f);
        step(f);
        each_target(f, merge);
        enum opcode_kind kind = opcode_kind_of(f->op);
        if (kind == OPCODE_RETURN || kind == OPCODE_GOTO || kind == OPCODE_GOTO_W ||
            kind == OPCODE_TABLE || kind == OPCODE_LOOKUP || f->op == OP_ATHROW)
            return;
        bci += bytes;
        if (bci >= f->code_size) {
            f->is_broken = true;
            return;
        }
        if (f->block_of[bci] >= 0) {
            merge(f, bci);
            return;
        }
    }
}

static void run_all(struct flow *f)
{
    bool is_changed = true;
    while (is_changed && !f->is_broken && f->m->work_left > 0) {
        is_changed = false;
        for (uint32_t bci = 0; bci < f->code_size && !f->is_broken; bci++) {
            if (f->block_of[bci] < 0 || !f->blocks[f->block_of[bci]].is_changed)
                continue;
            run_block(f, bci);
            is_changed = true;
        }
        f->m->work_left -= f->code_size < f->m->work_left ? f->code_size : f->m->work_left;
    }
    f->is_broken |= f->m->work_left == 0;
}

/* Sets the locals of the method's beginning. Returns how many are parameters; -1: not known. */
static int32_t set_parameters(struct flow *f)
{
    const struct target *t = f->m->target;
    char text[DESCRIPTOR_MAX];
    uint16_t index = 0;
    uint32_t at = 0, cells;
    bool is_ref;
    if (mem_read(t->mem, f->method.const_method + (uint64_t)t->layout->const_signature, &index,
                 sizeof(index)) < 0 ||
        copy_symbol(f, index, text) < 0 || text[0] != '(')
        return -1;
    memset(f->now, CELL_UNSET, f->locals);
    if ((f->method.access & ACC_STATIC) == 0)
        set_local(f, at++, CELL_REF);
    for (const char *type = text + 1; *type != ')'; at += cells) {
        type = take_type(type, &cells, &is_ref);
        if (!type)
            return -1;
        for (uint32_t i = 0; i < cells; i++)
            set_local(f, at + i, is_ref ? CELL_REF : CELL_VALUE);
    }
    return f->is_broken ? -1 : (int32_t)at;
}

/* ---- reading a method */

static bool read_handlers(struct flow *f)
{
    uint64_t rows = 0;
    int32_t count = method_debug_handlers(&f->method, &rows);
    if (count < 0 || count > HANDLERS_MAX)
        return false;
    f->handlers = calloc((size_t)count + 1, sizeof(*f->handlers));
    for (int32_t i = 0; f->handlers && i < count; i++) {
        uint16_t row[METHOD_DEBUG_HANDLER / 2];
        if (mem_read(f->m->target->mem, rows + (uint64_t)i * METHOD_DEBUG_HANDLER, row,
                     sizeof(row)) < 0)
            return false;
        f->handlers[i] = (struct handler){row[0], row[1], row[2]};
        mark_block(f, row[2]);
        f->handler_count++;
    }
    return f->handlers != NULL;
}

/* Finds where blocks begin: at the beginning, at targets of jumps, at `bci`. */
static bool find_blocks(struct flow *f, uint32_t bci)
{
    memset(f->block_of, 0xff, f->code_size * sizeof(*f->block_of));
    mark_block(f, 0);
    mark_block(f, bci);
    if (f->is_broken || !read_handlers(f))
        return false;
    for (uint32_t at = 0, bytes; at < f->code_size; at += bytes) {
        bytes = fetch(f, at);
        if (bytes == 0)
            return false;
        each_target(f, mark_block);
    }
    for (uint32_t at = 0; at < f->code_size; at++) {
        if (f->block_of[at] >= 0)
            f->block_of[at] = (int32_t)f->block_count++;
    }
    return !f->is_broken && (uint64_t)f->block_count * f->cells <= STATES_MAX;
}

enum { CODE_MARGIN = 16 };

static bool open_flow(struct flow *f, struct interp_mask *m, uint64_t method)
{
    const struct target *t = m->target;
    const struct hs_layout *l = t->layout;
    struct mem_view view = {.mem = t->mem};
    struct hs_method h;
    *f = (struct flow){.m = m};
    if (!hs_method_read(&view, l, method, &h) ||
        !method_debug_open(&m->methods, method, &f->method))
        return false;
    f->code_size = h.is_native ? 0 : h.code_size;
    f->locals = f->method.max_locals;
    f->cells = f->locals + (h.is_native ? 0 : hs_method_max_stack(&view, l, &h));
    if (h.is_native) /* of its locals the VM knows the parameters alone */
        f->locals = f->cells = 0x100;
    f->code = calloc(1, f->code_size + CODE_MARGIN);
    f->now = calloc(1, f->cells + 1);
    f->block_of = calloc(f->code_size + 1, sizeof(*f->block_of));
    return f->code && f->now && f->block_of && f->cells <= CELLS_MAX &&
           (f->code_size == 0 || mem_read(t->mem, h.code, f->code, f->code_size) == 0);
}

static void close_flow(struct flow *f)
{
    free(f->code);
    free(f->now);
    free(f->block_of);
    free(f->blocks);
    free(f->states);
    free(f->handlers);
}

static bool run_method(struct flow *f, uint32_t bci)
{
    if (bci >= f->code_size || !find_blocks(f, bci))
        return false;
    f->blocks = calloc(f->block_count, sizeof(*f->blocks));
    f->states = calloc(f->block_count, f->cells + 1);
    if (!f->blocks || !f->states || set_parameters(f) < 0)
        return false;
    merge(f, 0);
    run_all(f);
    const struct block *b = &f->blocks[f->block_of[bci]];
    if (f->is_broken || !b->has_state) /* no path leads there */
        return false;
    memcpy(f->now, f->states + (size_t)(uint32_t)f->block_of[bci] * f->cells, f->locals + b->depth);
    f->depth = b->depth;
    return fetch(f, bci) != 0;
}

static bool find_mask(struct flow *f, const struct interp_mask_answer *a)
{
    char text[DESCRIPTOR_MAX];
    if (f->code_size == 0) { /* a native method */
        int32_t count = set_parameters(f);
        f->locals = count < 0 ? 0 : (uint32_t)count;
        return count >= 0;
    }
    if (!run_method(f, (uint32_t)a->bci))
        return false;
    if (a->is_call_done && f->op >= OP_INVOKEVIRTUAL && f->op <= OP_INVOKEDYNAMIC)
        f->is_broken |= !take_arguments(f, text);
    return !f->is_broken;
}

static void answer(struct interp_mask *m, struct interp_mask_answer *a)
{
    struct flow f;
    if (open_flow(&f, m, a->method) && find_mask(&f, a)) {
        a->locals = f.locals;
        a->stack = f.depth;
        for (uint32_t i = 0; i < f.locals + f.depth; i++)
            f.now[i] = f.now[i] == CELL_REF;
        a->mask = f.now;
        f.now = NULL;
    }
    close_flow(&f);
}

const uint8_t *interp_mask_find(struct interp_mask *m, uint64_t method, int32_t bci,
                                bool is_call_done, struct interp_mask_shape *ret_shape)
{
    uint64_t hash =
        ((method >> 3) * 31 + (uint64_t)(uint32_t)bci * 2 + is_call_done) * 0x9e3779b97f4a7c15ull;
    struct interp_mask_answer *a = &m->known[hash >> 56 & (INTERP_MASK_KNOWN - 1)];
    if (bci < 0 || method == 0)
        return NULL;
    if (a->method != method || a->bci != bci || a->is_call_done != is_call_done) {
        free(a->mask);
        *a =
            (struct interp_mask_answer){.method = method, .bci = bci, .is_call_done = is_call_done};
        answer(m, a);
    }
    *ret_shape = (struct interp_mask_shape){a->locals, a->stack};
    return a->mask;
}

/* ---- once */

static struct interp_mask_entries entries_of(const struct target *t, const char *list,
                                             const char *type, const char *array)
{
    struct interp_mask_entries e = {.list = target_field(t, "ConstantPoolCache", list, -1)};
    if (e.list < 0) { /* entries of one kind, in the cache itself; their index is two bytes */
        e.first = target_size(t, "ConstantPoolCache");
        e.bytes = e.first < 0 ? -1 : target_size(t, "ConstantPoolCacheEntry");
        e.index = target_field(t, "ConstantPoolCacheEntry", "_indices", 0);
        return e;
    }
    e.first = target_field(t, array, "_data", -1);
    if (e.first < 0)
        e.first = target_field(t, array, "_data[0]", -1);
    e.index = target_field(t, type, "_cpool_index", -1);
    e.bytes = e.first < 0 || e.index < 0 ? -1 : target_size(t, type);
    return e;
}

void interp_mask_init(struct interp_mask *m, const struct target *t)
{
    *m = (struct interp_mask){.target = t, .work_left = WORK_MAX};
    method_debug_facts_init(&m->methods, t);
    m->cache = target_field(t, "ConstantPool", "_cache", -1);
    m->tags = target_field(t, "ConstantPool", "_tags", -1);
    m->fields =
        entries_of(t, "_resolved_field_entries", "ResolvedFieldEntry", "Array<ResolvedFieldEntry>");
    m->calls = entries_of(t, "_resolved_method_entries", "ResolvedMethodEntry",
                          "Array<ResolvedMethodEntry>");
    m->dynamics =
        entries_of(t, "_resolved_indy_entries", "ResolvedIndyEntry", "Array<ResolvedIndyEntry>");
    if (m->cache < 0 || m->tags < 0 || t->layout->const_signature < 0)
        m->work_left = 0; /* no method can be read */
}

void interp_mask_done(struct interp_mask *m)
{
    for (uint32_t i = 0; i < INTERP_MASK_KNOWN; i++)
        free(m->known[i].mask);
    *m = (struct interp_mask){0};
}
