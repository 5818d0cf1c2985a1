/*
 * javaname.h - names of Java and of the JDK, and what can be told from a name alone.
 *
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/** Writes "(int, String[])" for the descriptor "(I[Ljava/lang/String;)V": the simple names of the
 * types of the parameters. What does not fit is left out. Returns `ret`. */
char *javaname_of_parameters(const char *descriptor, char *ret, size_t size);
/**
 * Writes a type as Java source does, from its JVM signature: "[[C" becomes char[][], and
 * "Ljava/lang/String;" becomes java.lang.String. The text is cut at `size` - 1 bytes. Returns
 * `ret`.
 */
char *javaname_of_type(const char *signature, char *ret, size_t size);
/** Makes the VM's name of a class that is no array Java's, in place: java/lang/String becomes
 * java.lang.String. The slash before the address of a hidden class stays. */
void javaname_put_dots(char *name);

/**
 * What a class loader is called in one text.
 *
 * "app (a.b.Loader)" has the name that the program gave the loader, and the loader's class;
 * "a.b.Loader" is a loader without a name; "bootstrap" is the VM's own, which has no class. The two
 * parts are borrowed from the text; a part of 0 bytes is not there.
 */
struct javaname_loader {
    const char *name, *type;
    size_t name_len, type_len;
};

/** Writes the text for a name and a class, of which each may be "". The text is cut at `size` - 1
 * bytes. */
void javaname_join_loader(const char *name, const char *type, char *ret, size_t size);
/** The parts of a text of `len` bytes. */
struct javaname_loader javaname_split_loader(const char *text, size_t len);

/**
 * Whether a park with a blocker of this class is a wait for a lock. An example of such a class is
 * "java.util.concurrent.Semaphore$FairSync". A park with another blocker waits until something
 * happens, for example until a queue has an element.
 */
bool javaname_is_lock(const char *class_name);

/** Whether an event of JFR belongs to the application: neither to the JDK nor to this project nor
 * to async-profiler. For example "com.shop.Order" does; "jdk.CPULoad" and "profiler.Log" do not. */
bool javaname_is_own_event(const char *event);

/** Whether a java command only prints its version, judged by its last word. */
bool javaname_is_question(const char *last_word);
