/*
 * engine_publish.c - publish=y: what threads work for is published for other profilers while the
 * recording runs (scope/scope_publish.h). Measures nothing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"
#include "agent/engine/engine.h"
#include "agent/scope/scope_publish.h"
#include "options/options_group.h"

extern const struct options_group options_publish;

extern const struct engine engine_publish;

static int prepare(const struct options *o)
{
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    return 0;
}

/* If the publication has given way since it was asked for, each recording tries again. */
static int join(struct agent *a, struct recording *r)
{
    scope_publish_begin();
    return 0;
}

static void stop(struct agent *a)
{
    scope_publish_end();
}

static int release(struct agent *a, JNIEnv *env)
{
    scope_publish_end();
    return 0;
}

const struct engine engine_publish = {
    .name = "publish",
    .help = "publish=y: contexts of hprof.jar, for other profilers",
    .begun = "published contexts",
    .options = &options_publish,
    .prepare = prepare,
    .start = start,
    .sharing = {.join = join},
    .stop = stop,
    .release = release,
};
