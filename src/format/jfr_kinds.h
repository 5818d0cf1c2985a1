/*
 * jfr_kinds.h - which kind of the model an event of our own JFR files is a sum of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/event.h"

/** By the event's name, as in "hprof.OpenCall"; EVENT_KINDS: of none. */
enum event_kind jfr_kinds_named(const char *name);
