/* options_trigger.c - see options_trigger.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_trigger.h"

const struct options_group options_trigger = {
    .name = "trigger",
    .serves = OPTIONS_MARK_WATCHES,
};
