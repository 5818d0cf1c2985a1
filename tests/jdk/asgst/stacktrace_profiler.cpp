/*
 * stacktrace_profiler.cpp - a profiler over AsyncGetStackTrace: preallocated traces, a whole stack in one call.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <profile.h>
#define NEEDS_METHOD_IDS
#include "sampler.hpp"

#include "method_id_names.hpp"

static ASGST_CallFrame global_frames[MAX_DEPTH * MAX_THREADS_PER_ITERATION];
static ASGST_CallTrace global_traces[MAX_THREADS_PER_ITERATION];

static void initSampler() {
  for (int i = 0; i < MAX_THREADS_PER_ITERATION; i++) {
    global_traces[i].frames = global_frames + i * MAX_DEPTH;
    global_traces[i].num_frames = 0;
  }
}

static void signalHandler(int signo, siginfo_t* siginfo, void* ucontext) {
  AsyncGetStackTrace(&global_traces[available_trace++], MAX_DEPTH, ucontext, 0);
  stored_traces++;
}

static void onThreadStart(JNIEnv*) {}
static std::string finish() { return ""; }

static void processTraces(size_t num_threads) {
  for (size_t i = 0; i < num_threads; i++) {
    auto& trace = global_traces[i];
    totalTraces++;
    if (trace.num_frames <= 0 || trace.kind != ASGST_JAVA_TRACE) {
      // no Java frame, or not ready: as the other profilers count it
      countFailure(trace.num_frames == 0 ? -4 : trace.num_frames);
      continue;
    }
    std::vector<std::string> names;
    for (int j = 0; j < trace.num_frames; j++)
      names.push_back(methodIdName(trace.frames[j].java_frame.method_id));
    rootNode.addTrace(names);
  }
}
