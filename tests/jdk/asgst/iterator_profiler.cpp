/*
 * iterator_profiler.cpp - the small profiler of "AsyncGetCallTrace Reworked": it walks frame by frame in the handler.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sampler.hpp"

#include "method_to_string.hpp"

#include <array>

struct CallTrace {
  std::array<ASGST_Frame, MAX_DEPTH> frames;
  int num_frames;

  std::vector<std::string> to_strings() const {
    std::vector<std::string> strings;
    for (int i = 0; i < num_frames; i++) {
      strings.push_back(methodToString(frames[i].method));
    }
    return strings;
  }
};

static CallTrace global_traces[MAX_THREADS_PER_ITERATION];

void storeTrace(ASGST_Iterator* iterator, void* arg) {
  CallTrace *trace = (CallTrace*)arg;
  ASGST_Frame frame;
  int count;
  for (count = 0; ASGST_NextFrame(iterator, &frame) == 1 &&
         count < MAX_DEPTH; count++) {
    trace->frames[count] = frame;
  }
  trace->num_frames = count;
}

static void signalHandler(int signo, siginfo_t* siginfo,
 void* ucontext) {
  CallTrace &trace = global_traces[available_trace++];
  int ret = ASGST_RunWithIterator(ucontext, 0,
              &storeTrace, &trace);
  if (ret >= 2) { // non Java trace
    ret = 0;
  }
  if (ret <= 0) { // error
    trace.num_frames = ret;
  }
  stored_traces++;
}

static void initSampler() {}
static void onThreadStart(JNIEnv*) {}
static std::string finish() { return ""; }

static void processTraces(size_t num_threads) {
  for (size_t i = 0; i < num_threads; i++) {
    auto& trace = global_traces[i];
    if (trace.num_frames <= 0) {
      countFailure(trace.num_frames);
    } else {
      rootNode.addTrace(trace.to_strings());
    }
    totalTraces++;
  }
}
