/*
 * injector_later.h - change the loaded classes a few at a time, while the program works.
 *
 * The VM stops the program to replace classes. Up to JDK 11 it looks through all loaded classes and
 * all compiled code for each class that is replaced, so thousands of classes at once would stop a
 * program for minutes. A later VM looks once for all classes of a stop: there a stop for one class
 * takes as long as a stop for thousands, and this file is not used.
 *
 * Each step stops the program for about INJECTOR_LATER_STOP_NS: the time of one step decides how
 * many classes the next step changes. The caller rests between two steps. Classes whose methods run
 * come first (class_heat.h), the hottest first. For a user that only draws samples, classes whose
 * methods have never run are left alone until one runs. The tags of the classes, in the injector's
 * environment, say what is to be done. Context of everything here: java; as for injector_apply().
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

struct injector_user;

enum { INJECTOR_LATER_STOP_NS = 20 * 1000 * 1000 };

/** The result of one step. */
struct injector_later_step {
    uint32_t changed; /* classes that were changed */
    uint32_t left;    /* classes that wait for their turn */
    /* of these, classes whose change is due and for which a user waits (see tells_left) */
    uint32_t awaited;
    uint32_t idle;    /* classes that wait until one of their methods runs */
    uint64_t stop_ns; /* how long the program stood still, at most */
    bool is_dear;     /* each class costs so much that not all can be changed soon */
    uint32_t rests;   /* the caller is to rest so many times stop_ns now */
};

/**
 * Note for each loaded class what the users mean that were added or removed since the last time. No
 * class is changed yet.
 * Errors:  0; 1: users were added or removed; E_UNSUPPORTED: this VM changes all classes at once
 *          faster, by injector_apply(), or gives the environment no tags.
 */
int injector_later_plan(JNIEnv *env);
/** Change the next classes, if there are any. */
struct injector_later_step injector_later_step(JNIEnv *env);
/** Look at what the threads run, so that classes that are seen come first. Nothing happens if a
 * class costs little. */
void injector_later_look(JNIEnv *env);

/** Counts of those classes of a user that were loaded when the user was added and may have
 * something to inject. */
struct injector_later_cover {
    uint32_t changed, left, idle;
    uint32_t stops;
    uint64_t longest_ns, stopped_ns; /* times of those stops, which other users may share */
    /* when the last class whose methods run was changed (clock_monotonic_ns()); 0: not yet */
    uint64_t since_ns;
};
/** The counts of a user. Context: any. */
struct injector_later_cover injector_later_covered(const struct injector_user *u);
