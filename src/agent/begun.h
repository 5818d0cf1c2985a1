/*
 * begun.h - the line that tells the user of a running JVM what has been attached to it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct recording;

/** Say what is measured from now on and where the profile goes. Context: any, not signal. */
void begun_say(const struct recording *r);
