/*
 * hprof_frame.h - which frames of an HPROF file are not of Java methods.
 *
 * The formats know Java methods only. hprof writes a function of C or C++ as a method of its
 * library, which is its source file, too, and a function of the kernel with _[k] behind its name.
 * Layout: docs/format/hprof-text.md, "TRACE". SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/profile.h"

enum frame_kind hprof_frame_kind(struct profile *p, method_id method);
