/*
 * injector.h - put probes into the classes of a running VM, and give the classes their own code
 * back.
 *
 * Each library has one injector, with one environment of JVM TI and one class load hook: a class is
 * read once and written once, however many users want it. A user is a part of the library that
 * injects; it brings a probe (classfile/instrument.h). When a user is added, each class that the VM
 * loads from then on gets the probe. The classes that are loaded already get it by
 * injector_apply(), which works once for all users that were added or removed since the last call.
 * The classes that probes call (safe/own_class.h) get no probe. docs/injection.md has the facts of
 * HotSpot.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "classfile/instrument.h"

struct class_heat_code;
struct vm;

enum { INJECTOR_USERS_MAX = INSTRUMENT_PROBES_MAX };

/** Which probe encloses which: in each method a layer encloses the layers in front of it in this
 * list. */
enum injector_layer {
    INJECTOR_EVENTS, /* probes that tell what a method does, for example makes an object or parks */
    INJECTOR_CALLS,  /* probes that count and time calls */
    INJECTOR_CHECKS, /* probes that check the others */
};

/** A user. Static: the injector keeps the pointer for the life of the VM. */
struct injector_user {
    /** The probe. It may be replaced by another one: classes that have the old probe keep it until
     * injector_add_again() and injector_apply(). */
    const struct instrument_probe *_Atomic probe;
    enum injector_layer layer;
    /** All classes that this user wants are loaded when injector_apply() is called, and stay
     * loaded. So this user needs no class load hook. */
    bool wants_loaded_only;
    /**
     * Whether a class (java/lang/String) may have methods to inject; NULL: every class may.
     * Context: java.
     */
    bool (*wants)(const char *class_name);
    /** The function is told what became of a class, which may have been injected before. It may
     * change the new bytes, which other users share. May be NULL. Context: java, any thread. */
    void (*done)(const struct instrument_result *r, const struct instrument_share *own);
    /** While this user is added, the injector calls begin() when it is about to change loaded
     * classes, and end() after that, both on the calling thread. Both may be NULL. Context:
     * java. */
    void (*begin)(JNIEnv *env);
    void (*end)(JNIEnv *env);
    /** Which methods of a class the user means, as far as this is known without reading the class
     * file; NULL: all. Used by injector_later.h. */
    const struct class_heat_code *code;
    /** The user draws samples: a class whose methods have never run may stay as it is until one
     * runs. */
    bool draws;
    /** A probe that was not taken out of a class yet works as well as a new one. */
    bool may_stay;
    /** The user's recordings say how many classes have no probe yet, and a probe that is left in a
     * class after a recording does no harm. So nobody waits until the user's probe is put in or
     * taken out. */
    bool tells_left;
    _Atomic uint64_t injected; /* classes that got the probe since the user was added */
    _Atomic uint64_t failed;   /* classes whose class files could not be read */
    _Atomic uint64_t refused;  /* classes whose new class files the VM refused */
    /* The fields below are written by injector.c. */
    bool is_added, is_applied, is_watching;
    bool wants_more; /* injector_add_again() was called */
    uint32_t number; /* below INJECTOR_USERS_MAX, the same for the life of the VM */
};

/**
 * Make the environment, with the capabilities to change classes and, if the VM has it, the
 * capability to see virtual threads. If the environment exists, nothing happens.
 * Errors:  0, E_UNSUPPORTED.
 * Context: OnLoad, or java.
 */
int injector_open(const struct vm *vm);
/** The environment; injector_later.c owns its tags. NULL: it is not open. */
jvmtiEnv *injector_env(void);
/**
 * Look at the classes that the VM loads before injector_add(). injector_apply() leaves those
 * classes alone in which the user has nothing to inject, because each class that is replaced costs
 * more the more classes are replaced. For probes that only some classes need.
 * Context: OnLoad, after injector_open().
 */
void injector_watch(struct injector_user *u);
/** Put the user's probe into each class that is loaded from now on. Errors: 0, E_LIMIT. Context:
 * java. */
int injector_add(struct injector_user *u);
/** Do the same as injector_add(). If the user is added already, it wants more than before, and the
 * next injector_apply() injects its classes again. */
int injector_add_again(struct injector_user *u);
/** Put the user's probe into no class that is loaded from now on. If the user was not added,
 * nothing happens. */
void injector_remove(struct injector_user *u);
/**
 * Inject the loaded classes that are wanted by a user who was added or removed since the last call,
 * with the probes of all users. A counter in vm_shared.h is incremented at the begin and at the
 * end.
 * Context: java; the caller holds no lock that a user's functions take.
 */
void injector_apply(JNIEnv *env);

/* ---- for injector_later.c */

/** Users, ordered by layer and then by the time when they were added. */
struct injector_users {
    struct injector_user *users[INJECTOR_USERS_MAX];
    uint32_t count;
};

bool injector_has_tags(void);
/** The release of the JDK. */
int injector_release(void);
/** Take and give the lock with which one thread at a time changes loaded classes. */
void injector_hold(void);
void injector_let_go(void);
/** The users that were ever added; the users that are added; and the users that were added or
 * removed since the last time, which are then marked as applied. */
struct injector_users injector_all(void);
struct injector_users injector_added(void);
struct injector_users injector_take_changed(void);
/**
 * The loaded base classes of all events of the JDK's Flight Recorder. The event classes are left as
 * they are.
 *
 * The recorder writes the bodies of these classes itself, and writes them again whenever such a
 * class is changed. It does this by Java code that takes milliseconds for each class when it is
 * compiled, and seconds when it is interpreted and has probes. The recorder refuses some classes
 * that it wrote before, and reports them on the program's output. The methods of these classes do
 * nothing else.
 * Source: OpenJDK jdk.jfr, JVMUpcalls.onRetransform.
 */
struct injector_events {
    jvmtiEnv *jvmti; /* needs VM_CAN_GET_CONSTANT_POOL; without it every class counts as woven */
    jclass recorded; /* jdk.jfr.Event, borrowed; NULL: there is no recorder that looks at classes */
    jclass of_jdk;   /* jdk.internal.event.Event, borrowed; may be NULL */
    /* the classes that the probes of changed users call */
    const char *trackers[INSTRUMENT_PROBES_MAX];
    uint32_t tracker_count;
};

/** The classes of the recorder among `count` loaded classes, and the trackers of these users. */
struct injector_events injector_recorded(const struct injector_users *users, const jclass *classes,
                                         jint count);
/** Whether the class is an event class and has no probe of those users: it is left as it is. */
bool injector_is_recorded(const struct injector_events *e, JNIEnv *env, jclass klass);
/** Get the name of a class that may be changed, for example java/lang/String. False: the class may
 * not be changed. */
bool injector_can_change(jclass klass, char *ret, size_t size);
/** Give these loaded classes the probes of all users. The caller has called injector_hold().
 * Returns how long the program stood still at most, in ns. */
uint64_t injector_change(JNIEnv *env, const jclass *classes, jint count);
