/*
 * process_name.h - the name of a process, for people who look at a profile of several processes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/ids.h"

struct profile;

/**
 * The name, for example "app.Main pid=4711". If an earlier process has the same pid (the first
 * process of each container has pid 1), a number follows: "app.Main pid=1.1". Without a known pid
 * it is the name alone. Returns 0 if there is no memory.
 */
string_id process_name(struct profile *p, process_id id);
