/*
 * own_class.h - our own classes in java.lang that injected methods call, known by their names.
 *
 * Such a class is called a tracker. OWN_CLASS() makes its name from a mark, the name of the library
 * whose tracker it is, and a word of that library. The mark tells everyone who looks at stacks or
 * classes that a class is a tracker, because no program can define a class in java.lang. Therefore
 * no list of trackers is needed. A signal handler would have to read such a list, another process
 * and a core file would not hold it, and a library of another version would lay it out differently.
 * With the mark, each of our libraries and the command know the trackers of all libraries. The
 * library's name keeps the trackers of two libraries in one JVM apart.
 *
 * An own class calls no method of the program. Frames above its outermost frame on a stack are
 * therefore also its work. All frames down to the own class are left out, and their time belongs to
 * the method that called the own class.
 * Context of everything here: signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define OWN_CLASS_MARK "java/lang/Hprof"
/** The name of a tracker. OWN_LIBRARY is set on the compiler's command line: the name of the
 * library that is compiled, for example "libhprof". Code that only looks at trackers is compiled
 * without OWN_LIBRARY. */
#define OWN_CLASS(word) OWN_CLASS_MARK "_" OWN_LIBRARY "_" word

/** The greatest number of Java frames of an own class on a stack, including native methods of the
 * JDK above it. */
enum { OWN_CLASS_FRAMES = 3 };

/** Whether a class with this name, with slashes or dots, is an own class of any library. */
bool own_class_is(const char *name, size_t len);
