/*
 * injection.h - the classes of a running VM are given probes, and get their own code back.
 *
 * Has a JVM TI environment of its own, so its events and tags are nobody else's. The classes that
 * probes call (safe/own_class.h) are given none, whoever injects. The facts of HotSpot behind it:
 * docs/injection.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include "base/arena.h"
#include "classfile/instrument.h"

struct agent;

struct injection {
    const struct instrument_probe *probe;
    /** Whether a class (java/lang/String) may have methods to inject; NULL: all. Context: java. */
    int (*wants)(const char *class_name);
    /** What became of a class; may change the new bytes. May be NULL. Context: java, any thread. */
    void (*done)(struct instrument_result *r);
    /* the rest is injection.c's */
    jvmtiEnv *jvmti;
    struct arena *_Atomic spare; /* used for one class after the other; NULL: in use */
    _Atomic int watches;
    pthread_mutex_t lock;        /* of the next two */
    struct arena arena;          /* theirs */
    struct injection_seen *seen; /* the classes that were watched */
    _Atomic uint64_t classes;    /* that passed the hook and were changed */
    _Atomic uint64_t failed;     /* whose class files could not be read */
    _Atomic uint64_t refused;    /* that the VM did not take back */
};

/**
 * Make the environment, with the capabilities to change classes and, where the VM has them, to see
 * virtual threads. Errors: 0, E_UNSUPPORTED. Context: OnLoad or java.
 */
int injection_open(struct agent *a, struct injection *in);
/**
 * Look at the classes that the VM loads before injection_start(), which then leaves those alone in
 * which there is nothing to inject: a class costs the more to replace the more of them there are.
 * For probes that only some classes need. Context: OnLoad, after injection_open().
 */
void injection_watch(struct injection *in);
/** Inject the classes that are loaded, and from now on each that will be. Context: java. */
void injection_start(struct injection *in, JNIEnv *env);
/** Leave new classes alone. Context: java. */
void injection_stop(struct injection *in);
/** Whether no other injection is open in this VM. Context: any. */
int injection_is_alone(const struct injection *in);
/** After injection_stop(): the loaded classes get their own code again. Context: java. */
void injection_give_back(struct injection *in, JNIEnv *env);
