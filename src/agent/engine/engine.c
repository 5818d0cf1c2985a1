/*
 * engine.c - see engine.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "options/options_group.h"
#include "vm/injector.h"
#include "vm/vm_event.h"
#include "vm/vmself.h"

engine_set engine_wanted(const struct options *o)
{
    engine_set set = 0;
    for (int i = 0; engine_all[i]; i++)
        if (options_group_wanted(o, engine_all[i]->options))
            set |= (engine_set)1 << i;
    return set;
}

const struct engine *engine_next_of(engine_set set, int *at)
{
    while (engine_all[*at]) {
        int i = (*at)++;
        if (set >> i & 1)
            return engine_all[i];
    }
    return NULL;
}

void engine_words(engine_set set, char ret[ENGINE_WORDS])
{
    const struct engine *e;
    size_t n = 0;
    ret[0] = '\0';
    for (int at = 0; (e = engine_next_of(set, &at)) != NULL;)
        if (e->begun && n < ENGINE_WORDS)
            n += (size_t)snprintf(ret + n, ENGINE_WORDS - n, "%s%s", n ? ", " : "", e->begun);
}

const struct engine *engine_next(const struct agent *a, int *at)
{
    return engine_next_of(a->engines.at_work, at);
}

static int place_of(const struct engine *e)
{
    int i = 0;
    while (engine_all[i] != e)
        i++;
    return i;
}

struct recording *engine_recording(const struct agent *a, const struct engine *e, int *at)
{
    int i = place_of(e);
    while (*at < AGENT_RECORDINGS) {
        struct recording *r = a->recordings[(*at)++];
        if (r && r->is_counting && (r->engines >> i & 1))
            return r;
    }
    return NULL;
}

uint32_t engine_count(struct agent *a, const struct engine *e, struct event *event, trace_id whole,
                      bool is_cut)
{
    struct recording *r;
    uint32_t lost = 0;
    for (int at = 0; (r = engine_recording(a, e, &at)) != NULL;) {
        event->trace = recording_trace(a, r, whole, &event->is_truncated);
        event->is_truncated = event->is_truncated || is_cut;
        if (!event->trace || recording_count(a, r, event) != 0)
            lost++;
    }
    return lost;
}

/* The option of the command line that makes the VM write an AOT cache when it ends; NULL: the VM
 * writes none. */
static const char *cache_flag(void)
{
    uint64_t text;
    if (vmself_number("AOTCacheOutput", &text) == 0 && text)
        return "AOTCacheOutput";
    if (vmself_number("AOTMode", &text) == 0 && text &&
        strcmp((const char *)(uintptr_t)text, "record") == 0)
        return "AOTMode=record";
    return NULL;
}

/* The VM does not put a class into the cache if a hook has changed the class. If the VM cannot do
 * without this class, the VM makes no cache at all. Source: systemDictionaryShared.cpp
 * (check_for_exclusion). */
static void say_cache(const struct engine *e)
{
    static bool is_said;
    const char *flag = is_said ? NULL : cache_flag();
    if (!flag)
        return;
    is_said = true;
    log_note("%s changes classes: this JVM (-XX:%s) leaves those out of its AOT cache, or makes no "
             "cache; make the cache without it",
             e->options->asked_by ? e->options->asked_by : e->name, flag);
}

static int get(const struct vm *vm, const struct engine_need *need, struct vm_env_refusal *ret_why)
{
    *ret_why = (struct vm_env_refusal){need->what, VM_ENV_HAS_NONE};
    if (need->env && !*need->env)
        return vm_env_open(vm, VM_ENV_SET(need->what), need->env, ret_why);
    if (need->env)
        return vm_env_ask(vm, *need->env, need->what, ret_why);
    if (need->what == VM_CAN_RETRANSFORM_CLASSES)
        return injector_open(vm);
    return vm_event_want(need->what, ret_why);
}

static void say_refused(const char *refused, const struct vm_env_refusal *why)
{
    const char *reason = strstr(refused, "%s");
    char text[VM_ENV_TEXT];
    if (reason)
        log_error("%.*s%s%s", (int)(reason - refused), refused, vm_env_say(why, text), reason + 2);
    else
        log_error("%s", refused);
}

int engine_get_needs(struct agent *a, const struct engine *e)
{
    int asked = options_group_asked(&a->options, e->options);
    for (int i = 0; i < e->owns.need_count; i++) {
        const struct engine_need *need = &e->owns.needs[i];
        struct vm_env_refusal why;
        if (need->asked && need->asked != asked)
            continue;
        if (get(&a->vm, need, &why) == 0) {
            if (need->what == VM_CAN_RETRANSFORM_CLASSES)
                say_cache(e);
            continue;
        }
        if (!need->refused)
            continue;
        say_refused(need->refused, &why);
        return E_UNSUPPORTED;
    }
    return 0;
}

const struct engine_command *engine_command_of(const struct engine *e, const struct net_command *c)
{
    for (int i = 0; i < e->owns.command_count; i++) {
        const struct engine_command *command = &e->owns.commands[i];
        if (command->tag == c->tag && (c->tag != NET_COMMAND_CONTROL || command->op == c->op))
            return command;
    }
    return NULL;
}
