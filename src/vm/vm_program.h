/*
 * vm_program.h - what a library asks about the program in this JVM, before it records: its name,
 * whether it is a build tool, and whether its debugging agent can wait.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

struct vm;

/**
 * The main class, or the file name of the jar, as the launcher noted it. NULL: the program made its
 * JVM itself, or there is no memory. The program's arguments are left out, because they may be
 * secrets.
 * Owner:   the caller frees it.
 * Context: java.
 */
char *vm_program_name(const struct vm *vm);
/**
 * The build tool whose own JVM this is (vm/vm_program_tool.def). "" if the JVM only tells its
 * version, as build tools ask for it; NULL if this JVM is no build tool's. This library need not be
 * open.
 * Owner:   a constant.
 * Context: java, or OnLoad.
 */
const char *vm_program_build_tool(JavaVM *java);
/**
 * The build tool whose JVM has this command. The command is noted by the launcher: the class or jar
 * of `len` bytes, then the arguments with blanks between them. NULL: no build tool's. For tests.
 * Owner:   a constant.
 * Context: any.
 */
const char *vm_program_tool_of(const char *command, size_t len);
/**
 * Whether the debugging agent that this JVM would load can wait for a command (base/debugger.h). If
 * it cannot, *ret_why says why. The answer is yes if the JVM does not say from where it loads
 * agents. This library need not be open.
 * Context: java, or OnLoad.
 */
bool vm_program_debugger_waits(JavaVM *java, char *ret_why, size_t size);
