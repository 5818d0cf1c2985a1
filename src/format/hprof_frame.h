/*
 * hprof_frame.h - finds the frames of an HPROF file that are not frames of Java methods.
 *
 * The HPROF formats know only Java methods. hprof writes a function of C or C++ as a method whose
 * class and source file are both the library. It writes a function of the kernel with _[k] behind
 * its name. Layout: docs/format/hprof-text.md, "TRACE".
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/profile.h"

enum frame_kind hprof_frame_kind(struct profile *p, method_id method);
