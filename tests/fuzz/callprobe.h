/*
 * callprobe.h - the words of a tracker of calls, as tests weave it in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** The first members of a struct instrument_probe whose tracker has them all. */
#define CALLPROBE(name)                                                                            \
    .tracker = (name), .enter = "enter", .exit = "exit", .kept = 'J', .enter_keep = "enterKeep",   \
    .exit_keep = "exitKeep", .caught = "caught"
