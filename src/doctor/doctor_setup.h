/*
 * doctor_setup.h - facts about how a JVM was started: flags, agents, archives, its age.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct doctor_facts;
struct target;

/** Reads the arguments and flags in the memory of the VM, and the maps of the process. */
void doctor_setup_read(struct doctor_facts *f, pid_t pid, const char *version,
                       const struct target *t, bool is_first);
/** What is known to be wrong with this version of the JDK; NULL: nothing. Static. */
const char *doctor_setup_old(const char *version);
