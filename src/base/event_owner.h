/*
 * event_owner.h - whose an event of JFR is, by its name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Whether the name is none of the JDK's, of this project's or of async-profiler's. Context: any.
 */
bool event_owner_is_application(const char *event);
