/*
 * own_class.h - the classes of ours in java.lang that injected methods call, known by their names.
 *
 * Such a class, a tracker, is named by OWN_CLASS(): a mark, the name of the library whose tracker
 * it is, and a word of that library. The mark tells all who look at stacks or classes that a class
 * is a tracker: nobody else can define a class in java.lang. So nobody needs a list of the trackers
 * that there are, which a signal handler would have to read, another process and a core file do not
 * hold, and a library of another version would lay out otherwise; so every library of ours, and the
 * command, knows the trackers of all. The library's name keeps the trackers of two libraries in one
 * JVM apart.
 *
 * An own class calls no method of the program, so what lies above its outermost frame on a stack is
 * its work, too: the frames down to the own class are left out, and their time belongs to the
 * method that called it. Context of everything here: signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define OWN_CLASS_MARK "java/lang/Hprof"
/** OWN_LIBRARY is on the compiler's command line: the name of the library that is compiled, as
 * "libhprof". Who only looks at trackers has none. */
#define OWN_CLASS(word) OWN_CLASS_MARK "_" OWN_LIBRARY "_" word

/** An own class has at most so many Java frames on a stack, natives of the JDK above it included.
 */
enum { OWN_CLASS_FRAMES = 3 };

/** Whether a class of that name, with slashes or dots, is an own class of any library. */
bool own_class_is(const char *name, size_t len);
