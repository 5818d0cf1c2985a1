/*
 * main_class.h - the name that people use for a JVM: its main class or jar, and the arguments.
 *
 * The JVM has the words of its launcher in a counter: the class, module or jar, then the arguments,
 * with blanks between them. If there is no such counter, the command line of the process is read in
 * the way the launcher reads it. Source: JDK sun.jvmstat.monitor.MonitoredVmUtil; java(1).
 * Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/** The length of the first word, which is the class, module/class or jar with its path. */
size_t main_class_len(const char *command);
/** The offset of the short name, which has no packages, and for a jar no folders. */
size_t main_class_short(const char *command, size_t len);
/** The arguments behind the first word; "": none. */
const char *main_class_args(const char *command);
/** The length of the part of a command line in front of the main class: the launcher and its
 * options. `line` is as in /proc/PID/cmdline. */
size_t main_class_options_len(const char *line, size_t len);
/** Make the words of the counter from a command line as in /proc/PID/cmdline: `len` bytes, with a 0
 * behind each word, also behind the last one. If the first word is not "java", it is the name
 * itself, for example for javac or for a program with a VM in it; unless `is_launcher` says that
 * the launcher runs. NULL: the line names no class, or there is no memory. Owner: the caller frees
 * it. */
char *main_class_of_line(const char *line, size_t len, bool is_launcher);
