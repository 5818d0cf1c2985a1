/*
 * queue_profiler.cpp - the small profiler of "Taming the Bias": it enqueues in the handler and is called back outside of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sampler.hpp"

#include "method_to_string.hpp"

thread_local ASGST_Queue* queue;

static std::atomic<int> queueFullTraces{0};
static std::atomic<int> handledTraces{0};

// we can acquire locks during safepoints
std::mutex nodeLock;
Node& node = rootNode;

void asgstHandler(ASGST_Iterator* iterator, void* queueArg,
 void* arg) {
  std::vector<std::string> names;
  ASGST_Frame frame;
  int count;
  for (count = 0; ASGST_NextFrame(iterator, &frame) == 1 &&
         count < MAX_DEPTH; count++) {
    names.push_back(methodToString(frame.method));
  }
  // lets use locks to deal with the concurrency
  std::lock_guard<std::mutex> lock{nodeLock};
  node.addTrace(names);
  handledTraces++;
}

static void signalHandler(int signo, siginfo_t* siginfo,
 void* ucontext) {
  stored_traces++;
  totalTraces++;
  // queue has not been initialized
  if (queue == nullptr) {
    failedTraces++;
    return;
  }
  int res = ASGST_Enqueue(queue, ucontext, (void*)nullptr);
  if (res != 1) { // not Java trace
    countFailure(res);
    if (res == ASGST_ENQUEUE_FULL_QUEUE) {
      // we could do some compression here
      // but not in this example
      queueFullTraces++;
    }
  }
}

static void initSampler() {}
static void processTraces(size_t) {}

static void onThreadStart(JNIEnv* jni_env) {
  // the queue is large, but aren't doing any  compression,
  // so we need it
  queue = ASGST_RegisterQueue(jni_env, 10'000, 0, &asgstHandler,
    (void*)nullptr);
}

static std::string finish() {
  // what waits is handed out soon
  for (int i = 0; handledTraces < totalTraces - failedTraces && i < 60000; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::lock_guard<std::mutex> lock{nodeLock};
  return " full " + std::to_string(queueFullTraces) + " handled " + std::to_string(handledTraces);
}
