/*
 * jvmpi_agents.h - the agents in this JVM, and the table of functions that each agent gets.
 *
 * An agent asks for its table by GetEnv(JVMPI_VERSION_1 ...).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/**
 * Answer GetEnv for the versions of JVMPI from now on. Every other question to GetEnv goes to the
 * VM.
 * Context: any.
 */
void jvmpi_agents_open(JavaVM *java);
