/*
 * own_class.h - the classes of ours in java.lang that injected methods call, known by their names.
 *
 * Such a class is named by OWN_CLASS() and thereby known to all who look at stacks or classes, in
 * this process or from another one: nobody else can define a class in java.lang. An own class calls
 * no method of the program, so what lies above its outermost frame on a stack is its work, too: the
 * frames down to that one are left out, and their time belongs to the method that called it.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define OWN_CLASS(word) "java/lang/Hprof" word

/** An own class has at most so many Java frames on a stack, natives of the JDK above it included.
 */
enum { OWN_CLASS_FRAMES = 3 };

/** Whether a class of that name, with slashes or dots, is an own class. */
bool own_class_is(const char *name, size_t len);
