/*
 * times_code.h - the bytecode of the methods of java.lang.Hprof_libhprof_Times; times_class.h makes
 * the class.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/times/times_clock.h"
#include "classfile/classwrite.h"

struct times_block;

/** The settings that the code is made for. */
struct times_code_config {
    struct times_block *const *table; /* times_tree_table() */
    const int64_t *tick;              /* times_clock_tick() */
    int64_t tid_offset;               /* offset of Thread.tid for Unsafe */
    int64_t spreads;                  /* times_node_spreads() */
    enum times_clock clock;
    bool is_jdk_8;   /* Unsafe of JDK 8 is in another package */
    bool has_totals; /* times include callees: struct times_tree_config */
    bool is_watched; /* times_watch.h */
};

/** A class that is being written, and the numbers of the constants that it uses. */
struct times_code {
    struct classwrite w;
    const struct times_code_config *config;
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

/**
 * Each of these writes the code of one method to the end of `w.code`. The constants must be there.
 */
void times_code_initializer(struct times_code *c);
void times_code_enter(struct times_code *c);
void times_code_exit(struct times_code *c);
void times_code_caught(struct times_code *c);
void times_code_find(struct times_code *c);
void times_code_probe(struct times_code *c);
void times_code_call_bind(struct times_code *c);
void times_code_calibrate(struct times_code *c);
