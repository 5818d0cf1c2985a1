/*
 * alloc.h - where objects are allocated: each object has a tag that names its allocation site.
 *
 * Allocations are tracked with any heap= (with heap=dump unless sites=n, because the dump has the
 * traces of its objects). The events by which the VM reports allocations differ by JDK; see
 * docs/allocation.md. The tags belong to a JVM TI environment that is used for nothing else. The
 * counters are in alloc_table.h; an allocation at a known site is counted without a lock.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/alloc/alloc_table.h"

struct agent;
struct alloc_share;
struct options;
struct recording;
struct thread;

/** How many allocations could not be counted completely, by reason. */
struct alloc_lost {
    _Atomic uint64_t own;     /* objects that calls of the agent made; not counted */
    _Atomic uint64_t no_row;  /* counted in row ALLOC_TABLE_OTHER */
    _Atomic uint64_t shallow; /* counted at a site of only one frame, because room is short */
    /* objects without a tag (no memory for it, or SetTag failed); they never count as live */
    _Atomic uint64_t no_tag;
    _Atomic uint64_t values; /* objects without identity (JDK 28); they are counted at no site */
    /* stacks that the VM was asked for, because the walker could not read them */
    _Atomic uint64_t no_walk;
};

/** The environment whose tags of objects name rows of sites; NULL if no allocation is tracked. */
jvmtiEnv *alloc_env(void);
/** The table of the sites. */
struct alloc_table *alloc_table(void);
/** Which recordings the counted objects belong to. */
struct alloc_share *alloc_shares(void);
/**
 * The serial of the trace of a row; HPROF_SERIAL_TRACE_SYSTEM if there is no such row, for example
 * row 0. The function only reads tables, so it also works in a forked child. Context: any.
 */
uint32_t alloc_trace_serial(uint32_t row);

/** Take the memory. Errors: 0, or negative after a message. Context: any. */
int alloc_prepare(const struct options *o);
/** Choose the source (alloc_source.h). Errors: as alloc_prepare(). Context: OnLoad, or java at
 * attach. */
int alloc_load(struct agent *a);
/** Begin to count. Errors: 0, or negative after a message. Context: java, lock held. */
int alloc_start(struct agent *a, JNIEnv *env);
/** A thread begins, or is found before alloc_ready(). Context: java, lock held. */
void alloc_thread(const struct agent *a, const struct thread *t);
/** alloc_thread() has been called for all threads that exist. Context: java, lock not held. */
void alloc_ready(void);
/** How many threads existed before the agent was attached; the first bytes that each of them
 * allocates are not counted. Context: any. */
uint32_t alloc_late_threads(void);
/** Loaded classes whose arrays are not counted yet. Context: any. */
uint32_t alloc_classes_left(void);
/** Count no more allocations. What was counted stays. Context: java. */
void alloc_stop(void);
/** Give everything back; no object has a tag any more. Called after alloc_stop(), or if a start has
 * failed.
 * Errors: 0, or negative after a message. Context: java, lock not held. */
int alloc_release(struct agent *a, JNIEnv *env);
/** A recording begins (join), or has ended (part): see alloc_share.h. Errors: 0, or negative after
 * a message.
 * Context: java, lock held. */
int alloc_join(struct agent *a, struct recording *r);
void alloc_part(struct agent *a, struct recording *r);
/** Stop counting for a recording, or go on. Errors and context: as alloc_join(). */
int alloc_turn(struct recording *r, bool is_on);
/** From now on, traces have at most `depth` frames. */
void alloc_set_depth(int depth);
/** 0: every object is counted. Otherwise objects are sampled, and this is the mean number of bytes
 * between two samples. */
uint64_t alloc_interval(void);
/** Get the counts of what was lost since the recording began. Context: java, lock held. */
void alloc_lost_of(const struct recording *r, struct alloc_lost *ret);

/** The shape of an object, as far as it is known. If the shape is known, the VM need not be asked
 * for the size of each object. */
enum alloc_shape { ALLOC_SHAPE_ANY, ALLOC_SHAPE_OBJECT, ALLOC_SHAPE_ARRAY };

/** An object that the calling thread has just allocated. */
struct alloc_seen {
    jobject object;
    jclass klass;       /* NULL: taken from the object */
    uint64_t class_key; /* a number that names the class as long as the class lives; 0: unknown */
    uint64_t bytes;     /* 0: unknown */
    double probability; /* in sampled mode: with which the object was drawn; 0: not drawn yet */
    int skip;           /* number of innermost frames that belong to the agent */
    enum alloc_shape shape;
    int32_t length; /* only for ALLOC_SHAPE_ARRAY */
};

/** Count the object, and tag it with its site. Context: java, lock not held. */
void alloc_count(JNIEnv *env, const struct alloc_seen *seen);
/** Do the same for an object that may have been counted before (in this case it has a tag), or that
 * is not drawn yet. */
void alloc_count_once(JNIEnv *env, const struct alloc_seen *seen);
/** Count an object without identity, which cannot have a tag. Context: java. */
void alloc_count_value(void);
/** Give a counted object its tag again, if the object has lost it. Context: as alloc_count(). */
void alloc_tag_again(JNIEnv *env, jobject object, jclass klass);
/** The probability with which an object is sampled; 1 if every object is counted. `length` is -1 if
 * the object is not an array. */
double alloc_probability(uint64_t bytes, int64_t length);
