/*
 * alloc.h - where objects come from: each one carries a tag that names its allocation site.
 *
 * On with any heap= (heap=dump too, unless sites=n: its objects have traces). Which events of the
 * VM tell of allocations differs by JDK: docs/allocation.md. The objects' tags are those of an
 * environment of our own; the counters are alloc_table.h's, so no lock is taken for an allocation
 * at a known site. SPDX-License-Identifier: Apache-2.0
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

/** What an allocation costs nothing but time to leave out, counted. */
struct alloc_lost {
    _Atomic uint64_t own;     /* objects that the agent's own calls made */
    _Atomic uint64_t no_row;  /* counted in row ALLOC_TABLE_OTHER */
    _Atomic uint64_t shallow; /* counted at a site of one frame, for lack of room */
    _Atomic uint64_t no_tag;  /* no memory for a tag, or the VM took none: never live */
    _Atomic uint64_t values;  /* objects without identity (JDK 28): they are in no site */
    _Atomic uint64_t no_walk; /* stacks that were asked of the VM because the walker had none */
};

/** The environment whose object tags are site rows; NULL when nothing is tracked. */
jvmtiEnv *alloc_env(void);
/** The rows. */
struct alloc_table *alloc_table(void);
/** Whose the counted objects are. */
struct alloc_share *alloc_shares(void);
/**
 * The trace serial of a row, PROFILE_TRACE_SYSTEM for 0 and unknown ones. Reads tables only, so it
 * works in a forked child. Context: any.
 */
uint32_t alloc_trace_serial(uint32_t row);

/** Memory. Errors: 0, or negative after a message. Context: any. */
int alloc_prepare(const struct options *o);
/** Choose the source. Errors: as above. Context: OnLoad, or java at attach. */
int alloc_load(struct agent *a);
/** Begin. Errors: 0, or negative after a message. Context: java, lock held. */
int alloc_start(struct agent *a, JNIEnv *env);
/** A thread begins, or is found before alloc_ready(). Context: java, lock held. */
void alloc_thread(const struct agent *a, const struct thread *t);
/** All threads that there are have been told of. Context: java, lock not held. */
void alloc_ready(void);
/** How many were there before, and took some bytes that are not counted. Context: any. */
uint32_t alloc_late_threads(void);
/** Loaded classes whose arrays are not counted yet. Context: any. */
uint32_t alloc_classes_left(void);
/** Count no more; what is known stays. Context: java. */
void alloc_stop(void);
/** After alloc_stop(), or where a start failed: give all back, no object has a tag any more.
 * Errors: 0, or negative after a message. Context: java, lock not held. */
int alloc_release(struct agent *a, JNIEnv *env);
/** A recording begins, or has ended: see alloc_share.h. Errors: 0, or negative after a message.
 * Context: java, lock held. */
int alloc_join(struct agent *a, struct recording *r);
void alloc_part(struct agent *a, struct recording *r);
/** Count nothing for a recording, or go on. Errors and context: as above. */
int alloc_turn(struct recording *r, bool is_on);
/** Traces of `depth` frames from now on. */
void alloc_set_depth(int depth);
/** 0: every object is counted. Else: bytes between samples, on average. */
uint64_t alloc_interval(void);
/** Since the recording began. Context: java, lock held. */
void alloc_lost_of(const struct recording *r, struct alloc_lost *ret);

/** What is known of an object's shape: with it the VM need not be asked for each one's size. */
enum alloc_shape { ALLOC_SHAPE_ANY, ALLOC_SHAPE_OBJECT, ALLOC_SHAPE_ARRAY };

/** An object that the calling thread has just allocated. */
struct alloc_seen {
    jobject object;
    jclass klass;       /* NULL: the object is asked */
    uint64_t class_key; /* any number that names the class as long as it lives; 0: ask */
    uint64_t bytes;     /* 0: ask */
    double probability; /* sampled mode: of having been drawn; 0: it is to be drawn now */
    int skip;           /* innermost frames that are ours */
    enum alloc_shape shape;
    int32_t length; /* of ALLOC_SHAPE_ARRAY */
};

/** Count it, and tag it with its site. Context: java, lock not held. */
void alloc_count(JNIEnv *env, const struct alloc_seen *seen);
/** The same for one that may have been counted before (then it has a tag), or is not drawn yet. */
void alloc_count_once(JNIEnv *env, const struct alloc_seen *seen);
/** One without identity was made, which can have no tag. Context: java. */
void alloc_count_value(void);
/** Give an object that has been counted its tag again, if it has lost it. Context: as above. */
void alloc_tag_again(JNIEnv *env, jobject object, jclass klass);
/** In sampled mode, the probability with which an object is seen; `length` -1: no array. */
double alloc_probability(uint64_t bytes, int64_t length);
