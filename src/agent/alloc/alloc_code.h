/*
 * alloc_code.h - the parts from which a tracker class for allocations is written. JDK 8 only.
 *
 * The methods of such a class are Java code that reads memory with sun.misc.Unsafe. Because the
 * code is Java, the collector cannot move an object while the code looks at it. The class file has
 * version 49, so its branches need no stack map frames.
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

/** The code that a class must contain if its methods may make arrays, or objects that pass no
 * constructor (classfile/weave.c). Only such classes have to be looked at; the test does not read
 * the whole class. */
extern const struct class_heat_code alloc_code_makes_arrays;

/** A class that is being written. */
struct alloc_code {
    struct arena arena;
    struct classwrite w;
    /* offsets for Unsafe: of Thread.tid, and of the length of an array */
    int64_t tid_at, length_at;
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
 * Begin the class of the tracker, with its native methods. Errors: 0; -1: the VM does not tell an
 * offset that the code needs. Owner: alloc_code_define(). Context: java.
 */
int alloc_code_begin(struct alloc_code *c, struct agent *a, JNIEnv *env, const struct tracker *t);
/** Define the class in the VM. Errors: 0, or -1. Context: java. */
int alloc_code_define(struct alloc_code *c, struct agent *a, JNIEnv *env, const struct tracker *t);

void alloc_code_op(struct alloc_code *c, uint8_t code);
void alloc_code_op2(struct alloc_code *c, uint8_t code, uint16_t operand);
void alloc_code_push_long(struct alloc_code *c, int64_t v);
/** Push U.getInt(o, at), where o is the method's first argument. */
void alloc_code_push_int_of(struct alloc_code *c, int64_t at);
/** Call the class's own native method. */
void alloc_code_call(struct alloc_code *c, const char *native, const char *signature);
/** End a method `void name(Object)`: all code since the last end is its code. */
void alloc_code_method(struct alloc_code *c, const char *name, uint16_t stack, uint16_t locals);
/** Write the method `void name(Object o) { native(o); }`. */
void alloc_code_plain(struct alloc_code *c, const char *name, const char *native);
