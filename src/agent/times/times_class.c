/*
 * times_class.c - see times_class.h.
 *
 * The methods are not inlined into the program's methods. Measurements show that the program's own
 * code then stays small enough for the compilers (docs/times-how.md). The class's version is 49, so
 * it needs no StackMapTable. A name in capitals is a local variable.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_class.h"
#include <stdbool.h>
#include "agent/times/times_tree.h"
#include "classfile/classwrite.h"
#include "classfile/opcode.h"

enum { /* opcodes that opcode.h does not have */
       OP_ICONST_1 = 4,
       OP_ICONST_3 = 6,
       OP_ICONST_4 = 7,
       OP_LCONST_1 = 10,
       OP_LDC2_W = 20,
       OP_LMUL = 105,
       OP_LADD = 97,
       OP_LSUB = 101,
       OP_LSHL = 121,
       OP_LUSHR = 125,
       OP_LAND = 127,
       OP_LXOR = 131,
       OP_I2L = 133,
       OP_LCMP = 148,
       OP_IFNE = 154,
       OP_IFGE = 156,
       OP_IFLE = 158,
       OP_IF_ICMPNE = 160,
       OP_LRETURN = 173,
       OP_RETURN = 177,
       OP_GETSTATIC = 178,
       OP_PUTSTATIC = 179,
};

/* The class that is being written, and the numbers of the constants that it uses. */
struct code {
    struct classwrite w;
    const struct times_class_config *config;
    /* numbers in the constant pool: */
    struct {
        uint16_t unsafe, table, tid_offset, slot_mask, tick, hash_caller, hash_id, spreads,
            long_max;
    } field; /* fields of the tracker */
    struct {
        uint16_t get_unsafe, get_long, put_long, get_int, current_thread, nano_time;
    } jdk; /* methods of the JDK */
    struct {
        uint16_t bind, block, enter_slow, unwind, now, now_of, entered, left, enter, exit, probe,
            find;
    } own; /* methods of the tracker */
};

/* ---- instructions */

static void op(struct code *c, uint8_t code)
{
    outbuf_u1(&c->w.code, code);
}

static void op1(struct code *c, uint8_t code, uint8_t operand)
{
    outbuf_u1(&c->w.code, code);
    outbuf_u1(&c->w.code, operand);
}

static void op2(struct code *c, uint8_t code, uint16_t operand)
{
    outbuf_u1(&c->w.code, code);
    outbuf_u2(&c->w.code, operand);
}

/* Write a jump forward; land() sets its target. */
static size_t jump(struct code *c, uint8_t code)
{
    size_t at = c->w.code.len;
    op2(c, code, 0);
    return at;
}

static void land(struct code *c, size_t from)
{
    outbuf_set_u2(&c->w.code, from + 1, (uint16_t)(c->w.code.len - from));
}

/* Push Unsafe, null and (the address in a local + `offset`): the first arguments of its methods. */
static void place(struct code *c, uint8_t local, size_t offset)
{
    op2(c, OP_GETSTATIC, c->field.unsafe);
    op(c, OP_ACONST_NULL);
    op1(c, OP_LLOAD, local);
    if (offset) {
        op1(c, OP_BIPUSH, (uint8_t)offset);
        op(c, OP_I2L);
        op(c, OP_LADD);
    }
}

static void get(struct code *c, uint8_t local, size_t offset)
{
    place(c, local, offset);
    op2(c, OP_INVOKEVIRTUAL, c->jdk.get_long);
}

/* Store a long; place() and a value come before. */
static void put(struct code *c)
{
    op2(c, OP_INVOKEVIRTUAL, c->jdk.put_long);
}

/* Push the word at the address in the constant `address`. */
static void get_constant(struct code *c, uint16_t address)
{
    op2(c, OP_GETSTATIC, c->field.unsafe);
    op(c, OP_ACONST_NULL);
    op2(c, OP_LDC2_W, address);
    op2(c, OP_INVOKEVIRTUAL, c->jdk.get_long);
}

static bool is_by_thread(const struct code *c)
{
    return c->config->clock == TIMES_CLOCK_CPU;
}

/*
 * Push the time. Local `b` has the thread's block, which is only needed if each thread has its own
 * clock.
 */
static void push_now(struct code *c, uint8_t b)
{
    if (is_by_thread(c)) {
        op1(c, OP_LLOAD, b);
        op2(c, OP_INVOKESTATIC, c->own.now_of);
    } else if (c->config->clock == TIMES_CLOCK_TSC)
        op2(c, OP_INVOKESTATIC, c->own.now);
    else if (c->config->clock == TIMES_CLOCK_NANO)
        op2(c, OP_INVOKESTATIC, c->jdk.nano_time);
    else
        get_constant(c, c->field.tick);
}

static bool is_timed(const struct code *c)
{
    return c->config->clock != TIMES_CLOCK_NONE;
}

static void leave(struct code *c, int gives_0)
{
    if (gives_0)
        op(c, OP_LCONST_0);
    op(c, gives_0 ? OP_LRETURN : OP_RETURN);
}

/* if (local == 0) return */
static void leave_if_0(struct code *c, uint8_t local, int gives_0)
{
    size_t go_on;
    op1(c, OP_LLOAD, local);
    op(c, OP_LCONST_0);
    op(c, OP_LCMP);
    go_on = jump(c, OP_IFNE);
    leave(c, gives_0);
    land(c, go_on);
}

/*
 * Push the eight bytes at table + ((number & mask) << 3). These three are on the stack, the mask on
 * top, with U and null below them.
 */
static void get_slot(struct code *c)
{
    op(c, OP_LAND);
    op(c, OP_ICONST_3);
    op(c, OP_LSHL);
    op(c, OP_LADD);
    op2(c, OP_INVOKEVIRTUAL, c->jdk.get_long);
}

/* Put the thread's block into local `b`, or return if there is none; `tid` is another local. */
static void find_block(struct code *c, uint8_t tid, uint8_t b, int gives_0)
{
    size_t found;
    op2(c, OP_GETSTATIC, c->field.unsafe); /* tid = U.getLong(Thread.currentThread(), offset) */
    op2(c, OP_INVOKESTATIC, c->jdk.current_thread);
    op2(c, OP_LDC2_W, c->field.tid_offset);
    op2(c, OP_INVOKEVIRTUAL, c->jdk.get_long);
    op1(c, OP_LSTORE, tid);
    op2(c, OP_GETSTATIC, c->field.unsafe); /* b = U.getLong(null, table + (tid & mask << 3)) */
    op(c, OP_ACONST_NULL);
    op2(c, OP_LDC2_W, c->field.table);
    op1(c, OP_LLOAD, tid);
    op2(c, OP_LDC2_W, c->field.slot_mask);
    get_slot(c);
    op1(c, OP_LSTORE, b);
    get(c, b, offsetof(struct times_block, tid)); /* if (b.tid != tid) b = block(tid) */
    op1(c, OP_LLOAD, tid);
    op(c, OP_LCMP);
    found = jump(c, OP_IFEQ);
    op1(c, OP_LLOAD, tid);
    op2(c, OP_INVOKESTATIC, c->own.block);
    op1(c, OP_LSTORE, b);
    leave_if_0(c, b, gives_0);
    land(c, found);
}

/* ---- methods */

/* Push times_paths_hash(caller, id). */
static void push_hash(struct code *c, uint8_t caller, uint8_t id)
{
    op1(c, OP_LLOAD, caller);
    op2(c, OP_LDC2_W, c->field.hash_caller);
    op(c, OP_LMUL);
    op1(c, OP_ILOAD, id);
    op(c, OP_I2L);
    op2(c, OP_LDC2_W, c->field.hash_id);
    op(c, OP_LMUL);
    op(c, OP_LXOR);
    op1(c, OP_BIPUSH, TIMES_PATHS_HASH_SHIFT);
    op(c, OP_LUSHR);
}

/* local += n */
static void advance(struct code *c, uint8_t local, int8_t n)
{
    op1(c, OP_LLOAD, local);
    op1(c, OP_BIPUSH, (uint8_t)n);
    op(c, OP_I2L);
    op(c, OP_LADD);
    op1(c, OP_LSTORE, local);
}

/* if (U.getInt(null, node + id) != id) jump */
static size_t jump_if_other(struct code *c, uint8_t node, uint8_t id)
{
    place(c, node, offsetof(struct times_node, id));
    op2(c, OP_INVOKEVIRTUAL, c->jdk.get_int);
    op1(c, OP_ILOAD, id);
    return jump(c, OP_IF_ICMPNE);
}

/*
 * Find the node of a callee that was not entered last, in the thread's table of edges; 0: none
 * there.
 */
static void write_find(struct code *c)
{
    enum { B = 0, CALLER = 2, ID = 4, EDGES = 5, MASK = 7, AT = 9, E = 11, N = 13 };
    size_t other, again, loop;
    get(c, B, offsetof(struct times_block, paths.edges));
    op1(c, OP_LSTORE, EDGES);
    leave_if_0(c, EDGES, 1);
    get(c, B, offsetof(struct times_block, paths.edge_mask));
    op1(c, OP_LSTORE, MASK);
    push_hash(c, CALLER, ID);
    op1(c, OP_LSTORE, AT);
    loop = c->w.code.len;
    op1(c, OP_LLOAD, EDGES); /* e = edges + ((at & mask) << 4) */
    op1(c, OP_LLOAD, AT);
    op1(c, OP_LLOAD, MASK);
    op(c, OP_LAND);
    op(c, OP_ICONST_4);
    op(c, OP_LSHL);
    op(c, OP_LADD);
    op1(c, OP_LSTORE, E);
    get(c, E, offsetof(struct times_edge, caller));
    op1(c, OP_LSTORE, N);
    leave_if_0(c, N, 1);
    advance(c, AT, 1);
    op1(c, OP_LLOAD, N); /* if (e.caller != caller || e.callee.id != id) again */
    op1(c, OP_LLOAD, CALLER);
    op(c, OP_LCMP);
    other = jump(c, OP_IFNE);
    get(c, E, offsetof(struct times_edge, callee));
    op1(c, OP_LSTORE, N);
    again = jump_if_other(c, N, ID);
    place(c, CALLER, offsetof(struct times_node, last)); /* caller.last = n */
    op1(c, OP_LLOAD, N);
    put(c);
    op1(c, OP_LLOAD, N);
    op(c, OP_LRETURN);
    land(c, other);
    land(c, again);
    op2(c, OP_GOTO, (uint16_t)(loop - c->w.code.len));
}

/* return enterSlow(b, id) */
static void leave_slowly(struct code *c, uint8_t b, uint8_t id)
{
    op1(c, OP_LLOAD, b);
    op1(c, OP_ILOAD, id);
    op2(c, OP_INVOKESTATIC, c->own.enter_slow);
    op(c, OP_LRETURN);
}

static void write_enter(struct code *c)
{
    enum { ID = 0, TID = 1, B = 3, N = 5, CALLER = 7, TOP = 9 };
    size_t other, found, room, known;
    find_block(c, TID, B, 1);
    get(c, B, offsetof(struct times_block, top)); /* n = b.top.node.last */
    op1(c, OP_LSTORE, TOP);
    get(c, TOP, offsetof(struct times_call, node));
    op1(c, OP_LSTORE, CALLER);
    get(c, CALLER, offsetof(struct times_node, last));
    op1(c, OP_LSTORE, N);
    other = jump_if_other(c, N, ID);
    found = jump(c, OP_GOTO);
    land(c, other); /* n = find(b, b.top.node, id) */
    op1(c, OP_LLOAD, B);
    op1(c, OP_LLOAD, CALLER);
    op1(c, OP_ILOAD, ID);
    op2(c, OP_INVOKESTATIC, c->own.find);
    op1(c, OP_LSTORE, N);
    op1(c, OP_LLOAD, N);
    op(c, OP_LCONST_0);
    op(c, OP_LCMP);
    known = jump(c, OP_IFNE);
    leave_slowly(c, B, ID);
    land(c, found);
    land(c, known);
    op1(c, OP_LLOAD, TOP); /* if (b.top == b.limit) return enterSlow(b, id) */
    get(c, B, offsetof(struct times_block, limit));
    op(c, OP_LCMP);
    room = jump(c, OP_IFNE);
    leave_slowly(c, B, ID);
    land(c, room);
    advance(c, TOP, sizeof(struct times_call));
    place(c, TOP, offsetof(struct times_call, node));
    op1(c, OP_LLOAD, N);
    put(c);
    place(c, TOP, offsetof(struct times_call, child));
    op(c, OP_LCONST_0);
    put(c);
    place(c, TOP, offsetof(struct times_call, made));
    op(c, OP_LCONST_0);
    put(c);
    place(c, TOP, offsetof(struct times_call, entered));
    if (is_timed(c))
        push_now(c, B);
    else
        op(c, OP_LCONST_0);
    put(c);
    place(c, B, offsetof(struct times_block, top));
    op1(c, OP_LLOAD, TOP);
    put(c);
    if (c->config->is_watched) {
        op1(c, OP_LLOAD, B);
        op2(c, OP_INVOKESTATIC, c->own.entered);
    }
    op1(c, OP_LLOAD, TOP);
    get(c, B, offsetof(struct times_block, stack));
    op(c, OP_LSUB);
    op(c, OP_LRETURN);
}

/* call = b.stack + kept; if (b.top != call) { unwind(b, kept, leaves); return; } */
static void check_top(struct code *c, uint8_t kept, uint8_t b, uint8_t call, int leaves)
{
    size_t is_top;
    get(c, b, offsetof(struct times_block, stack));
    op1(c, OP_LLOAD, kept);
    op(c, OP_LADD);
    op1(c, OP_LSTORE, call);
    get(c, b, offsetof(struct times_block, top));
    op1(c, OP_LLOAD, call);
    op(c, OP_LCMP);
    is_top = jump(c, OP_IFEQ);
    op1(c, OP_LLOAD, b);
    op1(c, OP_LLOAD, kept);
    op(c, leaves ? OP_ICONST_1 : OP_ICONST_0);
    op2(c, OP_INVOKESTATIC, c->own.unwind);
    op(c, OP_RETURN);
    land(c, is_top);
}

/* Push what put() needs to add to a word, except the number to add and OP_LADD. */
static void begin_add(struct code *c, uint8_t local, size_t offset)
{
    place(c, local, offset);
    get(c, local, offset);
}

static void end_add(struct code *c)
{
    op(c, OP_LADD);
    put(c);
}

/* See leave() in times_tree.c. */
/* The locals of exit(). */
enum {
    EXIT_KEPT = 0,
    EXIT_TID = 2,
    EXIT_B = 4,
    EXIT_TOOK = 6,
    EXIT_CALL = 8,
    EXIT_N = 10,
    EXIT_NOW = 12,
    EXIT_S = 14
};

/*
 * if (U.getLong(null, local + offset) < value) U.putLong(null, local + offset, value); the value is
 * `took`, or if `is_rest` the largest long minus `took`.
 */
static void raise(struct code *c, uint8_t local, size_t offset, uint8_t took, bool is_rest)
{
    size_t is_less;
    get(c, local, offset);
    op1(c, OP_LLOAD, took);
    if (is_rest) {
        op2(c, OP_LDC2_W, c->field.long_max);
        op(c, OP_LXOR);
    }
    op(c, OP_LCMP);
    is_less = jump(c, OP_IFGE);
    place(c, local, offset);
    op1(c, OP_LLOAD, took);
    if (is_rest) {
        op2(c, OP_LDC2_W, c->field.long_max);
        op(c, OP_LXOR);
    }
    put(c);
    land(c, is_less);
}

/* Add EXIT_TOOK to the spread of the call's node. */
static void write_exit_spread(struct code *c)
{
    op1(c, OP_LLOAD, EXIT_N); /* s = (n >> TIMES_SPREAD_SHIFT) + spreads */
    op1(c, OP_BIPUSH, TIMES_SPREAD_SHIFT);
    op(c, OP_LUSHR);
    op2(c, OP_LDC2_W, c->field.spreads);
    op(c, OP_LADD);
    op1(c, OP_LSTORE, EXIT_S);
    begin_add(c, EXIT_S, offsetof(struct times_spread, total));
    op1(c, OP_LLOAD, EXIT_TOOK);
    end_add(c);
    raise(c, EXIT_S, offsetof(struct times_spread, most), EXIT_TOOK, 0);
    raise(c, EXIT_S, offsetof(struct times_spread, shortest), EXIT_TOOK, 1);
}

/*
 * Count the call in its node. EXIT_TOOK was the time now; after this it is the time that the call
 * took.
 */
static void write_exit_count(struct code *c)
{
    if (is_timed(c)) {
        op1(c, OP_LLOAD, EXIT_TOOK); /* took = now - call.entered */
        get(c, EXIT_CALL, offsetof(struct times_call, entered));
        op(c, OP_LSUB);
        op1(c, OP_LSTORE, EXIT_TOOK);
        begin_add(c, EXIT_N, offsetof(struct times_node, time)); /* n.time += took - call.child */
        op1(c, OP_LLOAD, EXIT_TOOK);
        if (!c->config->has_totals) {
            get(c, EXIT_CALL, offsetof(struct times_call, child));
            op(c, OP_LSUB);
        }
        end_add(c);
        write_exit_spread(c);
    }
    begin_add(c, EXIT_N, offsetof(struct times_node, made)); /* n.made += call.made */
    get(c, EXIT_CALL, offsetof(struct times_call, made));
    end_add(c);
    begin_add(c, EXIT_N, offsetof(struct times_node, count)); /* n.count++ */
    op(c, OP_LCONST_1);
    end_add(c);
}

/* Count the ended call in its caller's call, which becomes the innermost open call. */
static void write_exit_to_caller(struct code *c)
{
    op1(c, OP_LLOAD, EXIT_CALL); /* from here on EXIT_N is the caller's call */
    op1(c, OP_LSTORE, EXIT_N);
    advance(c, EXIT_N, -(int8_t)sizeof(struct times_call));
    if (is_timed(c)) {
        begin_add(c, EXIT_N, offsetof(struct times_call, child)); /* caller.child += took */
        op1(c, OP_LLOAD, EXIT_TOOK);
        end_add(c);
    }
    begin_add(c, EXIT_N, offsetof(struct times_call, made)); /* caller.made++ */
    op(c, OP_LCONST_1);
    if (c->config->has_totals) {
        get(c, EXIT_CALL, offsetof(struct times_call, made));
        op(c, OP_LADD);
    }
    end_add(c);
    place(c, EXIT_B, offsetof(struct times_block, top)); /* b.top = caller */
    op1(c, OP_LLOAD, EXIT_N);
    put(c);
}

static void write_exit(struct code *c)
{
    leave_if_0(c, EXIT_KEPT, 0);
    if (is_timed(c) && !is_by_thread(c)) {
        push_now(c, EXIT_B);
        op1(c, OP_LSTORE, EXIT_TOOK);
    }
    find_block(c, EXIT_TID, EXIT_B, 0);
    if (is_by_thread(c)) {
        push_now(c, EXIT_B);
        op1(c, OP_LSTORE, EXIT_TOOK);
    }
    if (c->config->is_watched) {
        op1(c, OP_LLOAD, EXIT_TOOK);
        op1(c, OP_LSTORE, EXIT_NOW);
    }
    check_top(c, EXIT_KEPT, EXIT_B, EXIT_CALL, 1);
    get(c, EXIT_CALL, offsetof(struct times_call, node));
    op1(c, OP_LSTORE, EXIT_N);
    write_exit_count(c);
    write_exit_to_caller(c);
    if (c->config->is_watched) {
        op1(c, OP_LLOAD, EXIT_B);
        op1(c, OP_LLOAD, EXIT_KEPT);
        op1(c, OP_LLOAD, EXIT_NOW);
        op2(c, OP_INVOKESTATIC, c->own.left);
    }
    op(c, OP_RETURN);
}

static void write_caught(struct code *c)
{
    enum { KEPT = 0, TID = 2, B = 4, CALL = 6 };
    leave_if_0(c, KEPT, 0);
    find_block(c, TID, B, 0);
    check_top(c, KEPT, B, CALL, 0);
    op(c, OP_RETURN);
}

static void write_initializer(struct code *c)
{
    op2(c, OP_INVOKESTATIC, c->jdk.get_unsafe);
    op2(c, OP_PUTSTATIC, c->field.unsafe);
    op(c, OP_RETURN);
}

/* An injected method that does nothing. */
static void write_probe(struct code *c)
{
    op1(c, OP_BIPUSH, (uint8_t)TIMES_PROBE);
    op2(c, OP_INVOKESTATIC, c->own.enter);
    op1(c, OP_LSTORE, 0);
    op1(c, OP_LLOAD, 0);
    op2(c, OP_INVOKESTATIC, c->own.exit);
    op(c, OP_RETURN);
}

/* while (n > 0) { n--; probe(); } */
static void write_calibrate(struct code *c)
{
    size_t out, back;
    op1(c, OP_ILOAD, 0);
    out = jump(c, OP_IFLE);
    op1(c, OP_IINC, 0);
    outbuf_u1(&c->w.code, (uint8_t)-1);
    op2(c, OP_INVOKESTATIC, c->own.probe);
    back = c->w.code.len;
    op2(c, OP_GOTO, (uint16_t)-back);
    land(c, out);
    op(c, OP_RETURN);
}

/*
 * callBind() calls bind(), so that a class of the boot loader asks for the native methods of the
 * VM's classes to be replaced. The VM warns if other code replaces them.
 */
static void write_call_bind(struct code *c)
{
    op1(c, OP_ILOAD, 0);
    op2(c, OP_INVOKESTATIC, c->own.bind);
    op(c, OP_RETURN);
}

/* ---- the class */

enum {
    MAJOR = 49,
    ACC_PUBLIC_STATIC = 0x0009,
    ACC_STATIC = 0x0008,
    ACC_STATIC_FINAL = 0x0018,
    STACK = 16, /* more than any method here needs */
    LOCALS = 16,
};

static void make_constants(struct code *c)
{
    const char *unsafe_name = c->config->is_jdk_8 ? "sun/misc/Unsafe" : "jdk/internal/misc/Unsafe";
    const char *unsafe_type =
        c->config->is_jdk_8 ? "Lsun/misc/Unsafe;" : "Ljdk/internal/misc/Unsafe;";
    const char *returns_unsafe =
        c->config->is_jdk_8 ? "()Lsun/misc/Unsafe;" : "()Ljdk/internal/misc/Unsafe;";
    uint16_t unsafe = classwrite_class(&c->w, unsafe_name),
             thread = classwrite_class(&c->w, "java/lang/Thread"),
             system = classwrite_class(&c->w, "java/lang/System"), self = c->w.self;
    struct classwrite *w = &c->w;
    c->field.unsafe = classwrite_field_ref(w, self, "U", unsafe_type);
    c->field.table = classwrite_long(w, (int64_t)(intptr_t)c->config->table);
    c->field.tick = classwrite_long(w, (int64_t)(intptr_t)c->config->tick);
    c->field.tid_offset = classwrite_long(w, c->config->tid_offset);
    c->field.slot_mask = classwrite_long(w, TIMES_SLOTS - 1);
    c->jdk.get_unsafe = classwrite_method_ref(w, unsafe, "getUnsafe", returns_unsafe);
    c->jdk.get_long = classwrite_method_ref(w, unsafe, "getLong", "(Ljava/lang/Object;J)J");
    c->jdk.put_long = classwrite_method_ref(w, unsafe, "putLong", "(Ljava/lang/Object;JJ)V");
    c->jdk.get_int = classwrite_method_ref(w, unsafe, "getInt", "(Ljava/lang/Object;J)I");
    c->jdk.current_thread =
        classwrite_method_ref(w, thread, "currentThread", "()Ljava/lang/Thread;");
    c->jdk.nano_time = classwrite_method_ref(w, system, "nanoTime", "()J");
    c->own.bind = classwrite_method_ref(w, self, TIMES_CLASS_BIND, "(I)V");
    c->own.block = classwrite_method_ref(w, self, TIMES_CLASS_BLOCK, "(J)J");
    c->own.enter_slow = classwrite_method_ref(w, self, TIMES_CLASS_ENTER_SLOW, "(JI)J");
    c->own.unwind = classwrite_method_ref(w, self, TIMES_CLASS_UNWIND, "(JJI)V");
    c->own.now = classwrite_method_ref(w, self, TIMES_CLASS_NOW, "()J");
    c->own.entered = classwrite_method_ref(w, self, TIMES_CLASS_ENTERED, "(J)V");
    c->own.left = classwrite_method_ref(w, self, TIMES_CLASS_LEFT, "(JJJ)V");
    c->own.now_of = classwrite_method_ref(w, self, TIMES_CLASS_NOW_OF, "(J)J");
    c->own.enter = classwrite_method_ref(w, self, TIMES_CLASS_ENTER, "(I)J");
    c->own.exit = classwrite_method_ref(w, self, TIMES_CLASS_EXIT, "(J)V");
    c->own.probe = classwrite_method_ref(w, self, "probe", "()V");
    c->own.find = classwrite_method_ref(w, self, "find", "(JJI)J");
    c->field.hash_caller = classwrite_long(w, TIMES_PATHS_HASH_CALLER);
    c->field.hash_id = classwrite_long(w, TIMES_PATHS_HASH_ID);
    c->field.spreads = classwrite_long(w, c->config->spreads);
    c->field.long_max = classwrite_long(w, INT64_MAX);
    classwrite_field(w, ACC_STATIC_FINAL, "U", unsafe_type);
}

/* One row for each method: the function that writes its code, and the method. */
static const struct {
    void (*write)(struct code *c);
    uint16_t access;
    bool is_alone; /* must not be inlined */
    const char *name, *desc;
} methods[] = {
    {write_initializer, ACC_STATIC, 0, "<clinit>", "()V"},
    {write_enter, ACC_PUBLIC_STATIC, 1, TIMES_CLASS_ENTER, "(I)J"},
    {write_exit, ACC_PUBLIC_STATIC, 1, TIMES_CLASS_EXIT, "(J)V"},
    {write_caught, ACC_PUBLIC_STATIC, 1, TIMES_CLASS_CAUGHT, "(J)V"},
    {write_find, ACC_STATIC, 1, "find", "(JJI)J"},
    {write_probe, ACC_STATIC, 0, "probe", "()V"},
    {write_call_bind, ACC_STATIC, 0, TIMES_CLASS_CALL_BIND, "(I)V"},
    {write_calibrate, ACC_STATIC, 0, TIMES_CLASS_CALIBRATE, "(I)V"},
};

int times_class_make(const struct times_class_config *config, struct arena *a,
                     const uint8_t **ret_bytes, size_t *ret_len)
{
    const char *alone = config->is_jdk_8 ? "Ljava/lang/invoke/DontInline;"
                                         : "Ljdk/internal/vm/annotation/DontInline;";
    struct code c = {.config = config};
    classwrite_begin(&c.w, a, TIMES_CLASS, MAJOR);
    make_constants(&c);
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        methods[i].write(&c);
        classwrite_method(&c.w, methods[i].access, methods[i].name, methods[i].desc, STACK, LOCALS,
                          methods[i].is_alone ? alone : NULL);
    }
    classwrite_native(&c.w, TIMES_CLASS_BIND, "(I)V");
    classwrite_native(&c.w, TIMES_CLASS_BLOCK, "(J)J");
    classwrite_native(&c.w, TIMES_CLASS_ENTER_SLOW, "(JI)J");
    classwrite_native(&c.w, TIMES_CLASS_UNWIND, "(JJI)V");
    classwrite_native(&c.w, TIMES_CLASS_NOW, "()J");
    classwrite_native(&c.w, TIMES_CLASS_NOW_OF, "(J)J");
    classwrite_native(&c.w, TIMES_CLASS_ENTERED, "(J)V");
    classwrite_native(&c.w, TIMES_CLASS_LEFT, "(JJJ)V");
    return classwrite_end(&c.w, ret_bytes, ret_len);
}
