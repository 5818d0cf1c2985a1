/*
 * hidden.h - classes that the VM itself makes, to call one method of a program from another.
 *
 * Method handles, lambdas and reflection put frames of such classes between caller and callee.
 * These frames say nothing about the program, and their names differ from run to run. The JVM's own
 * stack traces leave them out; so do tables of reports and pictures.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "profile/ids.h"

struct profile;
struct profile_trace;

/** Whether a class is hidden. The name is as in files: java.lang.Object. */
bool hidden_has(const char *class_name);
/** Whether the frame is of such a class. */
bool hidden_is_frame(struct profile *p, frame_id id);
/**
 * Whether frame `i` of a trace is shown when hidden frames are left out. `shown` is how many of the
 * frames in front of it are shown. If all frames are hidden, the outermost is shown.
 */
bool hidden_shows(struct profile *p, const struct profile_trace *trace, uint32_t i, uint32_t shown);
