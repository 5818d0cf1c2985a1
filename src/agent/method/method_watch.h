/*
 * method_watch.h - which methods are watched, and the sums of their calls.
 *
 * A method is watched if a value of method= of any recording matches it. A watched method has a
 * number that is never given away again, so its sums are found without a lock. The sums are kept in
 * a few copies, so that threads do not fight for one cache line.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "classfile/instrument_probe.h"

struct event_timing;
struct instrument_method;
struct options_method;
struct options_method_one;

/** Take memory, at most `bytes`; once in the life of the VM. Errors: 0, -ENOMEM. Context: any. */
int method_watch_prepare(uint64_t bytes);
/** Watch what these lists ask for, and nothing else. Context: any, one thread at a time. */
void method_watch_ask(const struct options_method *const *lists, int count);
/** Whether a value matches the class, in the form java/io/File. Context: any. */
bool method_watch_wants(const char *class_name);
/** For instrument_probe.select. Context: any. */
int32_t method_watch_select(void *context, const struct instrument_method *m);
/** A method that a value matches was left alone for this reason. Context: any. */
void method_watch_leave(struct cpool_utf8 class_name, struct cpool_utf8 name,
                        enum instrument_verdict why);
/** Print a line for each value that has none yet and has matched a method; with `has_classes`, the
 * classes of the program are loaded, also for a value that has matched nothing. Context: any. */
void method_watch_say(bool has_classes);
/** At the end print a line for each value of the list that has none yet or has matched nothing. */
void method_watch_say_end(const struct options_method *list);
/** Write the first value of the list that has matched nothing; "" if each has matched. */
void method_watch_unmatched(const struct options_method *list, char *ret, size_t size);

/** The engine begins: all sums are 0. Context: any, one thread at a time. */
void method_watch_clear(void);
/** Add a call to the sums of its method. Context: any thread, no lock. */
void method_watch_count(uint32_t at, uint64_t ns);
/** Calls that last longer are events; UINT64_MAX: none are. Context: as method_watch_count(). */
uint64_t method_watch_least_ns(uint32_t at);
/** Numbers are below this. */
uint32_t method_watch_count_of(void);
/** The number in methods.h of a watched method. */
uint32_t method_watch_number(uint32_t at);
/** The sums of a method's calls; `method` stays 0. */
struct event_timing method_watch_sums(uint32_t at);
/** The value of the list that matches the method and has the least time; NULL: none matches. */
const struct options_method_one *method_watch_of(const struct options_method *list, uint32_t at);
/** How many methods match and are not watched. */
uint32_t method_watch_left(void);
