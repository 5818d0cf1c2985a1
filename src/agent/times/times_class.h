/*
 * times_class.h - the class that injected methods call for cpu=times:
 * java.lang.Hprof_libhprof_Times.
 *
 * The class is written as bytecode that works on the trees (times_tree.h) through Unsafe and calls
 * no Java method. So it never calls itself, whatever method calls it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/times/times_clock.h"
#include "safe/own_class.h"

struct arena;
struct times_block;

#define TIMES_CLASS OWN_CLASS("Times")
#define TIMES_CLASS_ENTER "enter"   /* (I)J: takes a method's number; returns the call's place */
#define TIMES_CLASS_EXIT "exit"     /* (J)V: the place */
#define TIMES_CLASS_CAUGHT "caught" /* (J)V: the place */
#define TIMES_CLASS_CALIBRATE "calibrate" /* (I)V: makes so many calls that do nothing */
/* native: */
#define TIMES_CLASS_CALL_BIND "callBind"   /* void (int) */
#define TIMES_CLASS_BIND "bind"            /* native: void (int) */
#define TIMES_CLASS_BLOCK "block"          /* (J)J: times_tree_block() */
#define TIMES_CLASS_ENTER_SLOW "enterSlow" /* (JI)J: times_tree_callee(), times_tree_enter() */
#define TIMES_CLASS_UNWIND "unwind"        /* (JJI)V: times_tree_unwind() */
#define TIMES_CLASS_NOW "now"              /* ()J: times_clock_now(NULL) */
#define TIMES_CLASS_ENTERED "entered"      /* (J)V: times_watch_enter() of a block */
#define TIMES_CLASS_LEFT "left"            /* (JJJ)V: times_watch_unwind() of block, place, time */
#define TIMES_CLASS_NOW_OF "nowOf"         /* (J)J: times_clock_now() of a block */

/** The settings that the code is made for. */
struct times_class_config {
    struct times_block *const *table; /* times_tree_table() */
    const int64_t *tick;              /* times_clock_tick() */
    int64_t tid_offset;               /* offset of Thread.tid for Unsafe */
    int64_t spreads;                  /* times_node_spreads() */
    enum times_clock clock;
    bool is_jdk_8;   /* Unsafe of JDK 8 is in another package */
    bool has_totals; /* times include callees: struct times_tree_config */
    bool is_watched; /* times_watch.h */
};

/** Make the class file, in memory of `a`. Errors: those of classwrite_end(). */
int times_class_make(const struct times_class_config *c, struct arena *a, const uint8_t **ret_bytes,
                     size_t *ret_len);
