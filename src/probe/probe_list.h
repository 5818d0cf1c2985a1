/*
 * probe_list.h - the probes of a process as a table or as lines of JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct probe_sites;
struct sink;

/** Write the probes with these names (probe_sites_is_named()): a line for each name, or with
 * `is_json` a line for each site. Returns how many sites. */
uint32_t probe_list_write(struct sink *out, const struct probe_sites *s, const char *const *names,
                          unsigned count, bool is_json);
