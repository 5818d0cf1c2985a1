/*
 * life_events.h - the events of the VM that the agent handles while recordings run.
 *
 * Context: java. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** From now on write each loaded class into the files that have a record of each class. */
void life_events_hear_classes(void);
/**
 * From now on tell the engines of threads that begin and end; a data dump request writes the
 * tables.
 */
void life_events_hear_threads(void);
/**
 * From now on tell the engines of the end of virtual threads that the agent knows, until the last
 * recording has ended.
 */
void life_events_hear_virtual_ends(void);
