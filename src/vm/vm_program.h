/*
 * vm_program.h - the name that a person would give the program in this JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

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
 * The build tool whose own JVM this is (vm/build_tool.def). "" if the JVM only tells its version,
 * as build tools ask for it; NULL if this JVM is no build tool's. This library need not be open.
 * Owner:   a constant.
 * Context: java, or OnLoad.
 */
const char *vm_program_build_tool(JavaVM *java);
