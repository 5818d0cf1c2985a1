/*
 * stack.c - see stack.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/stack.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "safe/walk_vm.h"

int stack_open(struct stack *s, struct image *image, const char **ret_missing)
{
    memset(s, 0, sizeof *s);
    int error = target_open(image, &s->target, ret_missing);

    if (error == 0)
        error = oops_init(&s->target, &s->oops, ret_missing);
    java_methods_init(&s->methods, &s->target);
    return error;
}

static void drop(struct stack *s)
{
    for (uint32_t i = 0; s->threads != NULL && i < s->java.count; i++)
        free(s->threads[i].frames);
    free(s->threads);
    s->threads = NULL;
    java_threads_done(&s->java);
    java_methods_done(&s->methods);
}

/* Name the frames of one walk. */
static int keep_frames(struct stack *s, struct stack_thread *thread,
                       const struct walk_frame *frames, uint32_t count)
{
    thread->frames = calloc(count, sizeof *thread->frames);
    if (thread->frames == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct stack_frame *f = &thread->frames[i];

        f->method = java_methods_get(&s->methods, frames[i].method);
        if (f->method == NULL)
            return -ENOMEM;
        f->bci = frames[i].bci;
        f->kind = frames[i].kind;
        f->level = frames[i].level;
        f->line = java_methods_line(&s->methods, f->method, f->bci);
        thread->frame_count++;
    }
    return 0;
}

static int walk_thread(struct stack *s, struct stack_thread *thread, struct walk_frame *frames,
                       uint32_t max)
{
    const struct regs *regs = thread->os != NULL && thread->os->has_regs ? &thread->os->regs : NULL;
    int n = walk_vm_thread(s->target.mem, s->target.layout, thread->java->addr, regs, NULL, frames,
                           max, &thread->is_truncated);

    thread->cause = n < 0 ? -1 - n : -1;
    return n > 0 ? keep_frames(s, thread, frames, (uint32_t)n) : 0;
}

int stack_take(struct stack *s, uint32_t frames_max)
{
    struct walk_frame *frames = malloc((size_t)frames_max * sizeof *frames);
    int error = frames == NULL ? -ENOMEM : 0;

    drop(s);
    java_methods_init(&s->methods, &s->target);
    if (error == 0)
        error = java_threads_read(&s->oops, &s->java);
    if (error == 0 && s->java.count > 0) {
        s->threads = calloc(s->java.count, sizeof *s->threads);
        error = s->threads == NULL ? -ENOMEM : 0;
    }
    for (uint32_t i = 0; error == 0 && i < s->java.count; i++) {
        struct stack_thread *thread = &s->threads[i];

        thread->java = &s->java.rows[i];
        thread->os = image_thread_inner(s->target.image, thread->java->os_tid);
        error = walk_thread(s, thread, frames, frames_max);
    }
    free(frames);
    return error;
}

void stack_close(struct stack *s)
{
    drop(s);
    target_close(&s->target);
}
