/*
 * outlet_hprof.h - the HPROF file of a recording, for heap dumps: they are no events, and write
 * records of their own into the file.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct hprof_out;
struct recording;

/** The state of the recording's HPROF file; NULL: it has none. Needs the agent's lock. */
struct hprof_out *outlet_hprof_of(const struct recording *r);
