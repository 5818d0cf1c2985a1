/* options_wall.c - see options_wall.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_wall.h"
#include <string.h>
#include "kind/kind.h"
#include "safe/clock.h"

enum {
    DEFAULT_NS = 50 * NS_PER_MS,
    LEAST_NS = NS_PER_MS,
    ALL_STATES = (1 << OPTIONS_WALL_STATES) - 1
};

static const struct options_wall defaults = {.interval_ns = DEFAULT_NS, .states = ALL_STATES};

#define STATES "running|native|sleeping|waiting|parked|blocked|vm"

static const struct options_row_choice states[] = {
    {"running", OPTIONS_WALL_RUNNING},   {"native", OPTIONS_WALL_NATIVE},
    {"sleeping", OPTIONS_WALL_SLEEPING}, {"waiting", OPTIONS_WALL_WAITING},
    {"parked", OPTIONS_WALL_PARKED},     {"blocked", OPTIONS_WALL_BLOCKED},
    {"vm", OPTIONS_WALL_IN_VM},          {0}};

static const struct options_row_choice daemons[] = {
    {"y", OPTIONS_WALL_DAEMONS}, {"n", OPTIONS_WALL_NO_DAEMONS}, {"all", OPTIONS_WALL_BOTH}, {0}};

static const struct options_row_choice walkins[] = {
    {"handler", OPTIONS_WALL_HANDLER}, {"thread", OPTIONS_WALL_THREAD}, {0}};

static unsigned state_named(const char *word, size_t len)
{
    unsigned bit = 0;
    for (const struct options_row_choice *state = states; state->word; state++)
        if (strlen(state->word) == len && memcmp(state->word, word, len) == 0)
            bit = 1u << state->value;
    return bit;
}

/* Parses words separated by +, as in event=. */
static const char *set_states(void *into, const char *value)
{
    struct options_wall *o = into;
    unsigned wanted = 0;
    for (const char *word = value;; word++) {
        size_t len = strcspn(word, "+");
        unsigned state = state_named(word, len);
        if (!state)
            return "wallstates option value must be words of " STATES " with + between";
        wanted |= state;
        word += len;
        if (!*word)
            break;
    }
    o->states = wanted;
    o->states_said = true;
    return NULL;
}

#define AT(field) .at = offsetof(struct options_wall, field)
#define APART .share = OPTIONS_ROW_APART, .part = OPTIONS_ROW_NEW

static const struct options_row rows[] = {
    {"wall", .share = OPTIONS_ROW_FIXED_IF_SAID, .kind = OPTIONS_ROW_TIME, .part = OPTIONS_ROW_NEW,
     AT(interval_ns), .said_at = offsetof(struct options_wall, interval_said), .least = LEAST_NS,
     .values = "<time>", .about = "event=wall: interval", .shown = "50ms",
     .missing = "syntax error parsing wall=time",
     .wrong = "wall option value must be a time, 1ms or more, such as 50ms"},
    {"wallthreads", APART, .kind = OPTIONS_ROW_TEXT_OF, AT(threads), .values = "<patterns>",
     .about = "event=wall: threads of these names", .shown = "all",
     .missing = "syntax error parsing wallthreads=patterns"},
    {"wallexclude", APART, .kind = OPTIONS_ROW_TEXT_OF, AT(exclude), .values = "<patterns>",
     .about = "event=wall: not these threads", .shown = "none",
     .missing = "syntax error parsing wallexclude=patterns"},
    {"wallstates", APART, .kind = OPTIONS_ROW_OWN, .set = set_states, .choices = states,
     .said_at = offsetof(struct options_wall, states_said), .values = "<words>",
     .about = "event=wall: threads that do this", .shown = "all",
     .missing = "syntax error parsing wallstates=words"},
    {"walldaemon", APART, .kind = OPTIONS_ROW_CHOICE, AT(daemon), .choices = daemons,
     .values = "y|n|all", .about = "event=wall: daemon threads?", .shown = "all",
     .missing = "syntax error parsing walldaemon=y|n|all"},
    {"walkin", .share = OPTIONS_ROW_FIXED_IF_SAID, .kind = OPTIONS_ROW_CHOICE, AT(walkin),
     .part = OPTIONS_ROW_NEW, .said_at = offsetof(struct options_wall, walkin_said),
     .choices = walkins, .values = "handler|thread",
     .about = "event=wall: who walks running threads", .shown = "handler",
     .missing = "syntax error parsing walkin=handler|thread"},
    {0},
};

static const struct options_ask asks[] = {{"event", "wall", .value = 1}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_MOMENTS : 0;
}

bool options_wall_chooses(const struct options_wall *o)
{
    return o->threads[0] || o->exclude[0] || o->daemon != OPTIONS_WALL_BOTH ||
           o->states != ALL_STATES;
}

const struct options_group options_wall = {
    .name = "wall",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .asked_by = "event=wall",
    .asked_with = "wall", /* async-profiler's users write wall=50ms alone */
    .marks = marks,
    .kinds = 1 << KIND_WALL,
};
