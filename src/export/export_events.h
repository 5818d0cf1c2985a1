/*
 * export_events.h - the events of JFR files as tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
struct export_state;

/** Writes the events of the input. Errors: 0; negative. */
int export_events(struct export_state *s);
