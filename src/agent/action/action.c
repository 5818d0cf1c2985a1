/* action.c - see action.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/action/action.h"

#define OPTIONS_ACTION(NAME, word, mark, takes, about) extern const struct action action_##word;
#include "options/options_action.def"
#undef OPTIONS_ACTION

const struct action *action_of(enum options_action action)
{
    static const struct action *const all[] = {
#define OPTIONS_ACTION(NAME, word, mark, takes, about) &action_##word,
#include "options/options_action.def"
#undef OPTIONS_ACTION
    };
    return all[action];
}
