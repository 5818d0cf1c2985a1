/*
 * injector.h - the classes of a running VM get the probes of all who ask, and their own code back.
 *
 * One injector a library, with one environment of JVM TI and one class load hook: a class is read
 * once and written once, however many want it. Whoever injects is a user, with a probe
 * (classfile/instrument.h). A user that is added is in the classes that the VM loads from then on;
 * the classes that are loaded already follow with injector_apply(), once for all users that came or
 * went since the last time. The classes that probes call (safe/own_class.h) are given none. The
 * facts of HotSpot behind it: docs/injection.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "classfile/instrument.h"
#include "vm/injector_events.h"

struct class_heat_code;
struct vm;

enum { INJECTOR_USERS_MAX = INSTRUMENT_PROBES_MAX };

/** Which probes lie within which: each layer encloses those before it, in each method. */
enum injector_layer {
    INJECTOR_EVENTS, /* tell what a method does: makes an object, parks */
    INJECTOR_CALLS,  /* count and time calls */
    INJECTOR_CHECKS, /* doubt the others */
};

/** Static: the injector remembers it for the life of the VM. */
struct injector_user {
    /** May become another one: classes that were woven before keep what they have until
     * injector_add_again() and injector_apply(). */
    const struct instrument_probe *_Atomic probe;
    enum injector_layer layer;
    /** All classes that it wants are loaded when it is applied, and stay: the VM can do without a
     * class load hook on its account. */
    bool wants_loaded_only;
    /** Whether a class (java/lang/String) may have methods to inject; NULL: all. Context: java. */
    bool (*wants)(const char *class_name);
    /** What became of a class, which may have been injected before; may change the new bytes, which
     * others share. May be NULL. Context: java, any thread. */
    void (*done)(const struct instrument_result *r, const struct instrument_share *own);
    /** The classes that are loaded are about to be changed, and have been changed, while this user
     * is added: by the calling thread. May be NULL. Context: java. */
    void (*begin)(JNIEnv *env);
    void (*end)(JNIEnv *env);
    /** For injector_later.h: which methods of a class are meant, as far as can be told without
     * reading it; NULL: all. */
    const struct class_heat_code *code;
    /** It draws samples: classes whose methods have never run may stay as they are until they do.
     */
    bool draws;
    /** A probe that has not been taken out of a class yet is as good as a new one. */
    bool may_stay;
    /** Its recordings say how many classes have no probe yet, and a probe that is left in a class
     * when they have ended does no harm: nobody waits for either. */
    bool tells_left;
    _Atomic uint64_t failed;  /* classes whose class files could not be read */
    _Atomic uint64_t refused; /* that the VM did not take back */
    /* the rest is injector.c's */
    bool is_added, is_applied, is_watching;
    bool wants_more; /* injector_add_again() */
    uint32_t number; /* below INJECTOR_USERS_MAX, for the life of the VM */
};

/**
 * Make the environment, with the capabilities to change classes and, where the VM has them, to see
 * virtual threads. Nothing happens if it is there already. Errors: 0, E_UNSUPPORTED. Context:
 * OnLoad, or java.
 */
int injector_open(const struct vm *vm);
/** The environment, whose tags are injector_later.h's; NULL: it is not open. */
jvmtiEnv *injector_env(void);
/**
 * Look at the classes that the VM loads before injector_add(): those in which there is nothing to
 * inject are then left alone, for a class costs the more to replace the more of them there are.
 * For probes that only some classes need. Context: OnLoad, after injector_open().
 */
void injector_watch(struct injector_user *u);
/** From now on the probe is in each class that is loaded. Errors: 0, E_LIMIT. Context: java. */
int injector_add(struct injector_user *u);
/** The same; if it is added already, it wants more than before, and injector_apply() sees to that.
 */
int injector_add_again(struct injector_user *u);
/** From now on it is in no class that is loaded; nothing happens if it was not added. */
void injector_remove(struct injector_user *u);
/**
 * Inject the loaded classes that a user wants who was added or removed since the last time, with
 * the probes of all. vm_shared.h counts when that begins and when it has ended. Context: java; no
 * lock that a user's functions take.
 */
void injector_apply(JNIEnv *env);

/* ---- for injector_later.c */

/** Users, by layer and then as they came. */
struct injector_users {
    struct injector_user *users[INJECTOR_USERS_MAX];
    uint32_t count;
};

bool injector_has_tags(void);
/** Of the JDK. */
int injector_release(void);
/** One who changes loaded classes at a time. */
void injector_hold(void);
void injector_let_go(void);
/** All that were ever added; those that are; those that came or went since the last time, which
 * counts as done. */
struct injector_users injector_all(void);
struct injector_users injector_added(void);
struct injector_users injector_take_changed(void);
/** Among loaded classes, those of the JDK's recorder that no probe of these users is in: they are
 * left as they are. */
struct injector_events injector_recorded(const struct injector_users *users, const jclass *classes,
                                         jint count);
/** The name of a class that may be changed, as in java/lang/String; false for the others. */
bool injector_can_change(jclass klass, char *ret, size_t size);
/** Give these loaded classes the probes of all. Returns how long the program has stood still, at
 * most. While it is held. */
uint64_t injector_change(JNIEnv *env, const jclass *classes, jint count);
