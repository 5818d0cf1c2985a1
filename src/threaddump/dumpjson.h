/*
 * dumpjson.h - the thread dumps of Thread.dump_to_file -format=json, in the form of jstack.
 *
 * Takes the first form (JDK 21: no states, no locks) and the second (JDK 26: states, locks, owners
 * of blockers), and several dumps one behind the other. What is not known is passed over.
 * Source: jdk.internal.vm.ThreadDumper. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "threaddump/dumpfeed.h"

/** Gives each dump in `text` to `take`. Errors: 0; as the taker; -ENOMEM; E_FORMAT: the text is
 * damaged: the dump that has the damage was given as far as it goes. */
int dumpjson_read(const char *text, size_t len, dumpfeed_taker *take, void *with);
