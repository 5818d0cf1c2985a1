/*
 * process_name.h - what a process of a profile is called where people tell several apart.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/ids.h"

struct profile;

/**
 * "app.Main pid=4711"; a process whose pid another one had before it, as the first one of each
 * container has, is "app.Main pid=1.1"; one of no known pid has its name alone. 0: no memory.
 */
string_id process_name(struct profile *p, process_id id);
