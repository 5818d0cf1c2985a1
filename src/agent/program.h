/*
 * program.h - what a person would call the program that runs in this JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "profile/profile.h"

/**
 * The main class, or the file name of the jar, as the launcher noted them; 0: a program that made
 * its JVM itself. The program's arguments may be secrets and are no part of it. Context: java.
 */
string_id program_name(jvmtiEnv *jvmti, struct profile *profile);
