/*
 * vm_program.h - what a person would call the program that runs in this JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

struct vm;

/**
 * The main class, or the file name of the jar, as the launcher noted them; NULL: a program that
 * made its JVM itself, or no memory. The program's arguments may be secrets and are no part of it.
 * Owner: the caller frees it. Context: java.
 */
char *vm_program_name(const struct vm *vm);
/**
 * The build tool whose own JVM this is (vm/build_tool.def); "" where the JVM only tells its
 * version, as build tools ask; or NULL. Nothing of ours need be open.
 * Owner: a constant. Context: java, or OnLoad.
 */
const char *vm_program_build_tool(JavaVM *java);
