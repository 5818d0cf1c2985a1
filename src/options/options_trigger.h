/* options_trigger.h - who watches for triggers; the options are each trigger's.
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include "options/options_group.h"

extern const struct options_group options_trigger;
