/*
 * times_class.c - see times_class.h: the constants and methods of the class; times_code.h has their
 * code.
 *
 * The methods are not inlined into the program's methods. Measurements show that the program's own
 * code then stays small enough for the compilers (docs/times-how.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_class.h"
#include <stdbool.h>
#include "agent/times/times_tree.h"
#include "classfile/classwrite.h"

enum {
    MAJOR = 49,
    ACC_PUBLIC_STATIC = 0x0009,
    ACC_STATIC = 0x0008,
    ACC_STATIC_FINAL = 0x0018,
    STACK = 16, /* more than any method here needs */
    LOCALS = 16,
};

static void make_constants(struct times_code *c)
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
    void (*write)(struct times_code *c);
    uint16_t access;
    bool is_alone; /* must not be inlined */
    const char *name, *desc;
} methods[] = {
    {times_code_initializer, ACC_STATIC, 0, "<clinit>", "()V"},
    {times_code_enter, ACC_PUBLIC_STATIC, 1, TIMES_CLASS_ENTER, "(I)J"},
    {times_code_exit, ACC_PUBLIC_STATIC, 1, TIMES_CLASS_EXIT, "(J)V"},
    {times_code_caught, ACC_PUBLIC_STATIC, 1, TIMES_CLASS_CAUGHT, "(J)V"},
    {times_code_find, ACC_STATIC, 1, "find", "(JJI)J"},
    {times_code_probe, ACC_STATIC, 0, "probe", "()V"},
    {times_code_call_bind, ACC_STATIC, 0, TIMES_CLASS_CALL_BIND, "(I)V"},
    {times_code_calibrate, ACC_STATIC, 0, TIMES_CLASS_CALIBRATE, "(I)V"},
};

int times_class_make(const struct times_code_config *config, struct arena *a,
                     const uint8_t **ret_bytes, size_t *ret_len)
{
    const char *alone = config->is_jdk_8 ? "Ljava/lang/invoke/DontInline;"
                                         : "Ljdk/internal/vm/annotation/DontInline;";
    struct times_code c = {.config = config};
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
