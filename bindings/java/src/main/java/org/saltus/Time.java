package org.saltus;

import java.time.Duration;

/** Divides a wait into slices. Between them it checks whether the thread was interrupted. */
final class Time {
  static final long FOREVER = Long.MAX_VALUE;
  private static final long SLICE = 100_000_000L;

  private Time() {}

  /** A timeout in ns. More than 292 years means no timeout. */
  static long nanos(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("a timeout of " + timeout + ": it is 0 or more");
    }
    try {
      return timeout.toNanos();
    } catch (ArithmeticException e) {
      return FOREVER;
    }
  }

  /** The length of the next slice; 0 if no time is left. */
  static long slice(long timeout, long start) {
    if (timeout == FOREVER) {
      return SLICE;
    }
    return timeout == 0 ? 0 : Math.max(0, Math.min(SLICE, timeout - (System.nanoTime() - start)));
  }

  /** Whether the timeout has expired. Call it after a slice without a message. */
  static boolean isOver(long timeout, long start) {
    if (timeout == 0 || timeout != FOREVER && System.nanoTime() - start >= timeout) {
      return true;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new SaltusException.Canceled("the thread that waits was interrupted");
    }
    return false;
  }
}
