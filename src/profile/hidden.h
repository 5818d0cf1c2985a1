/*
 * hidden.h - classes that the VM makes for itself to get from one method of a program to another.
 *
 * Method handles, lambdas and reflection put frames of such classes between caller and callee. They
 * say nothing of the program, and their names differ from run to run. The JVM's own stack traces
 * leave them out, and so do the tables of reports and what people look at.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "profile/ids.h"

struct profile;
struct profile_trace;

/** Whether a class, named as in files (java.lang.Object), is one of them. */
bool hidden_has(const char *class_name);
/** Whether the frame is of such a class. */
bool hidden_is_frame(struct profile *p, frame_id id);
/**
 * Whether frame `i` of a trace is shown where hidden ones are left out, and `shown` of the frames
 * before it are: of nothing but hidden frames the outermost is.
 */
bool hidden_shows(struct profile *p, const struct profile_trace *trace, uint32_t i, uint32_t shown);
