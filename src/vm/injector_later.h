/*
 * injector_later.h - the loaded classes are changed while the program works: a few at a time.
 *
 * The VM replaces classes in a stop. Up to JDK 11 it looks through all loaded classes, and all
 * compiled code, for each class that is replaced, so thousands at once stop a program for minutes.
 * Later ones do so once for all of them: there a stop for one class takes as long as one for
 * thousands, and this is not used. Here each stop is kept near INJECTOR_LATER_STOP_NS, by what the
 * one before took, and who calls rests between two. Classes whose methods run come first
 * (class_heat.h), hottest first; a user who only draws samples has those left alone whose methods
 * have never run, until they do. What is to be done stands in the classes' tags, in the injector's
 * environment. Context: java; as for injector_apply(). SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

struct injector_user;

enum { INJECTOR_LATER_STOP_NS = 20 * 1000 * 1000 };

/** What one step has done. */
struct injector_later_step {
    uint32_t changed; /* classes */
    uint32_t left;    /* that wait for their turn */
    uint32_t awaited; /* of these, for who counts exactly, or has left, and does not tell of them */
    uint32_t idle;    /* that wait until one of their methods runs */
    uint64_t stop_ns; /* how long the program has stood still, at most */
    bool is_dear;     /* each class costs so much that not all can be changed soon */
    uint32_t rests;   /* as many times that long it is to be left alone now */
};

/**
 * Note what users that came or went since the last time mean for each loaded class; nothing is
 * changed yet. Errors: 0; E_UNSUPPORTED: all at once is better here, by injector_apply(); or this
 * VM keeps no notes of classes.
 */
int injector_later_plan(JNIEnv *env);
/** Change the next classes, if any. */
struct injector_later_step injector_later_step(JNIEnv *env);
/** Look at what runs, so that classes that are seen come first. Nothing happens where a class costs
 * little. */
void injector_later_look(JNIEnv *env);

/** Of a user's classes that were loaded when it was added, and in which there may be something to
 * inject: */
struct injector_later_cover {
    uint32_t changed, left, idle;
    uint32_t stops;
    uint64_t longest_ns, stopped_ns; /* of those stops, which other users may share */
    uint64_t since_ns; /* clock_monotonic_ns() when the last of those that run was changed; 0 */
};
/** Context: any. */
struct injector_later_cover injector_later_covered(const struct injector_user *u);
