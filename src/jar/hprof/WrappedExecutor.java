/*
 * WrappedExecutor.java - SPDX-License-Identifier: Apache-2.0
 */
package hprof;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Hands each task on with the context of the thread that hands it over. */
final class WrappedExecutor extends AbstractExecutorService {
    private final ExecutorService to;

    WrappedExecutor(ExecutorService to) {
        this.to = to;
    }

    @Override
    public void execute(Runnable task) {
        to.execute(HprofContext.wrap(task));
    }

    @Override
    public void shutdown() {
        to.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return to.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return to.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return to.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return to.awaitTermination(timeout, unit);
    }
}
