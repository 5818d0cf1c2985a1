/*
 * begun.h - what a recording measures, in the words of its users.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct recording;

enum { BEGUN_WHAT = 256 };

/** "CPU samples, monitors"; empty where there is nothing to say. Context: any. */
void begun_what(const struct recording *r, char ret[BEGUN_WHAT]);
/** The line that tells the user of a running JVM what has been attached to it: what is measured
 * from now on and where the profile goes. Context: any, not signal. */
void begun_say(const struct recording *r);
