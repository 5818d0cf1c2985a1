/*
 * alloc_code.h - trackers of allocations that are Java code which reads memory by sun.misc.Unsafe:
 * the parts of such a class, for those who write one. JDK 8.
 *
 * Their code is Java, so the collector cannot move an object while it is looked at. The class is of
 * version 49: its branches need no frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "classfile/classwrite.h"

struct agent;
struct class_heat_code;
struct tracker;

/** Classes that have to be looked at because their methods may make arrays, or objects that pass no
 * constructor: allocsite.h, as far as can be told without reading them. */
extern const struct class_heat_code alloc_code_makes_arrays;

/** A class that is being written. */
struct alloc_code {
    struct arena arena;
    struct classwrite w;
    int64_t tid_at, length_at; /* as Unsafe counts: Thread.tid, and the length of an array */
    uint16_t get_unsafe, unsafe, get_int, get_long, get_word, put_word, current_thread;
};

enum alloc_code_op { /* instructions that opcode.h does not name */
                     ALLOC_CODE_GETSTATIC = 178,
                     ALLOC_CODE_LLOAD_1 = 31,
                     ALLOC_CODE_LLOAD_3 = 33,
                     ALLOC_CODE_LSTORE_1 = 64,
                     ALLOC_CODE_LSTORE_3 = 66,
                     ALLOC_CODE_LADD = 97,
                     ALLOC_CODE_LSUB = 101,
                     ALLOC_CODE_LSHL = 121,
                     ALLOC_CODE_LAND = 127,
                     ALLOC_CODE_I2L = 133,
                     ALLOC_CODE_LCMP = 148,
                     ALLOC_CODE_LCONST_0 = 9,
                     ALLOC_CODE_IFLT = 155,
                     ALLOC_CODE_RETURN = 177,
};

/**
 * Begin the class of the tracker, with its native methods. Errors: 0; -1: this VM does not say what
 * the code has to know. Owner: alloc_code_define(). Context: java.
 */
int alloc_code_begin(struct alloc_code *c, struct agent *a, JNIEnv *env, const struct tracker *t);
/** Define the class in the VM. Errors: 0, or -1. Context: java. */
int alloc_code_define(struct alloc_code *c, struct agent *a, JNIEnv *env, const struct tracker *t);

void alloc_code_op(struct alloc_code *c, uint8_t code);
void alloc_code_op2(struct alloc_code *c, uint8_t code, uint16_t operand);
void alloc_code_push_long(struct alloc_code *c, int64_t v);
/** U.getInt(o, at), of the method's first argument. */
void alloc_code_push_int_of(struct alloc_code *c, int64_t at);
/** Call the class's own native method. */
void alloc_code_call(struct alloc_code *c, const char *native, const char *signature);
/** End a method `void name(Object)`. */
void alloc_code_method(struct alloc_code *c, const char *name, uint16_t stack, uint16_t locals);
/** void name(Object o) { native(o); } */
void alloc_code_plain(struct alloc_code *c, const char *name, const char *native);
