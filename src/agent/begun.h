/*
 * begun.h - what a recording measures, in the words of its users.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct recording;

enum { BEGUN_WHAT = 256 };

/**
 * For example "CPU samples, monitors"; empty if no engine has words for what it measures. Context:
 * any.
 */
void begun_what(const struct recording *r, char ret[BEGUN_WHAT]);
/**
 * Tell the user of a running JVM on one line what is measured from now on and where the profile
 * goes. Context: any, not signal.
 */
void begun_say(const struct recording *r);
