/*
 * doctor_input.h - the facts of files: what `hprof doctor --json` printed, alone or in the archive
 * of `hprof bundle`, and thread dumps.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "doctor/doctor_fact.h"

struct jvm;

/** The file of an archive (`hprof bundle`) that has the facts. */
#define DOCTOR_INPUT_FACTS "doctor.json"

/** Reads files: one with facts alone, or thread dumps of one JVM. Calls `take` for the facts of
 * each JVM. Returns an exit status, after saying why it is not 0 in the name of `command`. */
int doctor_input_read(const char *command, const char *const *names, uint32_t count,
                      void (*take)(void *, struct doctor_facts *), void *with);
