/*
 * thread_profiler.cpp - "Couldn't we just use AsyncGetCallTrace in a separate thread?": the handler hands over its ucontext and
 * waits, the sampler thread walks the stack by the system's thread id.
 * SPDX-License-Identifier: Apache-2.0
 */
#define HPROF_ASYNCGETCALLTRACE
#include <asgct.h>
#include <asgst_ready.h>
#define NEEDS_METHOD_IDS
#include "sampler.hpp"

#include "method_id_names.hpp"

static std::atomic<void*> shared_ucontext{nullptr};
static std::atomic<pid_t> shared_thread{-1};
static std::atomic<bool> isWalking{true};

// The walker must not wait for anything while threads wait for it: it fills free slots, names are the sampler thread's.
struct Slot {
  std::atomic<bool> isFull{false};
  int num_frames;
  ASGCT_CallFrame frames[MAX_DEPTH];
};
static Slot slots[MAX_THREADS_PER_ITERATION];

static void signalHandler(int signo, siginfo_t* siginfo, void* ucontext) {
  void* expected = nullptr;
  // another signal handler invocation is already in progress
  if (!shared_ucontext.compare_exchange_strong(expected, ucontext)) {
    stored_traces++;
    return;
  }
  shared_thread = get_thread_id();
  // wait for the stack to be walked, and block the thread from executing
  while (shared_ucontext != nullptr && isWalking)
    ;
}

static std::thread walker;

static void walkLoop() {
  for (unsigned next = 0; isWalking;) {
    pid_t tid = shared_thread;
    Slot& slot = slots[next % MAX_THREADS_PER_ITERATION];
    if (tid == -1 || slot.isFull) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      continue;
    }
    ASGCT_CallTrace trace = {nullptr, 0, slot.frames};
    AsyncGetCallTrace(&trace, MAX_DEPTH, (void*)shared_ucontext, tid);
    shared_thread = -1;
    // continue the thread
    shared_ucontext = nullptr;
    slot.num_frames = trace.num_frames;
    slot.isFull = true;
    next++;
    stored_traces++;
  }
}

static void processTraces(size_t) {
  for (Slot& slot : slots) {
    if (!slot.isFull)
      continue;
    totalTraces++;
    if (slot.num_frames <= 0) {
      countFailure(slot.num_frames == 0 ? -4 : slot.num_frames);
    } else {
      std::vector<std::string> names;
      for (int i = 0; i < slot.num_frames; i++)
        names.push_back(methodIdName(slot.frames[i].method_id));
      rootNode.addTrace(names);
    }
    slot.isFull = false;
  }
}

static void initSampler() { walker = std::thread(walkLoop); }
static void onThreadStart(JNIEnv*) {}
static std::string finish() {
  isWalking = false;
  walker.join();
  return "";
}
