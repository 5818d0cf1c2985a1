/*
 * life_events.h - what the agent hears of the VM while recordings run.
 *
 * Context: java. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Each class that is loaded goes into the files that have a record of each. */
void life_events_hear_classes(void);
/** Threads that begin and end are told to the engines; a data dump request writes the tables. */
void life_events_hear_threads(void);
/** Virtual threads that are known to the agent are told to the engines when they end, until the
 * last recording has ended. */
void life_events_hear_virtual_ends(void);
