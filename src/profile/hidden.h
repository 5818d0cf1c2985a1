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

/** Whether a class, named as in files (java.lang.Object), is one of them. */
bool hidden_has(const char *class_name);
/** Whether the frame is of such a class. */
bool hidden_is_frame(struct profile *p, frame_id id);
