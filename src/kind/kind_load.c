/*
 * kind_load.c - CPU time of the process and of the machine since the look before. The "possible
 * time" is what all processors together could have used.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind/kind.h"

const struct kind kind_load = {
    .id = KIND_LOAD,
    .name = "LOAD",
    .word = "load",
    .title = "CPU time of the process and of the machine",
    .values =
        {
            {"USER_TIME", "user time", KIND_UNIT_NS, .sample_type = "cpu_user_time"},
            {"SYSTEM_TIME", "system time", KIND_UNIT_NS, .sample_type = "cpu_system_time"},
            {"MACHINE_TIME", "machine time", KIND_UNIT_NS, .sample_type = "cpu_machine_time"},
            {"POSSIBLE_TIME", "possible time", KIND_UNIT_NS, .sample_type = "cpu_possible_time"},
        },
    .jfr_layout = KIND_JFR_LOAD,
};
