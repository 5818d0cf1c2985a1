/*
 * main_class.h - what people call a JVM: its main class or jar, and the arguments of that.
 *
 * The JVM tells its launcher's words in a counter: the class, module or jar, then the arguments,
 * parted by blanks. Without that counter the command line of the process is read as the launcher
 * reads it. Source: JDK sun.jvmstat.monitor.MonitoredVmUtil; java(1). Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/** The class, module/class or jar with its path: the first word; its length. */
size_t main_class_len(const char *command);
/** Where the name begins that people use: without packages, or folders of a jar. */
size_t main_class_short(const char *command, size_t len);
/** The arguments behind it; "" none. */
const char *main_class_args(const char *command);
/** The same command line's bytes before its main class: the launcher and its options. */
size_t main_class_options_len(const char *line, size_t len);
/**
 * The same words made of a command line as /proc/PID/cmdline has it: `len` bytes, a 0 behind each
 * word and behind the last. A first word that is not "java" is itself the name, as of javac or of a
 * program with a VM in it, unless the file that runs is known to be the launcher. NULL: it names no
 * class; or no memory. Owner: the caller frees it.
 */
char *main_class_of_line(const char *line, size_t len, bool is_launcher);
