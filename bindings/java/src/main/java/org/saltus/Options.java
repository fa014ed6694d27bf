package org.saltus;

import java.util.Locale;
import java.util.Objects;

/** A subscriber's options: which messages it receives and where it starts. Immutable. */
public final class Options {
  /** The most messages that may wait; 0: the newest only. */
  final long depth;

  final Start start;

  private Options(long depth, Start start) {
    this.depth = depth;
    this.start = start;
  }

  /**
   * Each receive returns the newest message and skips older ones. This is the default.
   *
   * @return these options
   */
  public static Options newest() {
    return new Options(0, Start.NEWEST);
  }

  /**
   * Receives all messages in order. At most {@code depth} messages of a channel wait; if more
   * arrive, the oldest are dropped.
   *
   * <p>Over {@code shm://}, subscribing by name to a channel that keeps fewer messages replaces it
   * by a deeper one. If that is not possible, subscribing fails; the error names the remedy.
   *
   * @param depth the number of messages, 1 or more
   * @return these options
   */
  public static Options next(long depth) {
    if (depth < 1) {
      throw new IllegalArgumentException("a depth of " + depth + ": it is 1 or more");
    }
    return new Options(depth, Start.NEWEST);
  }

  /**
   * Returns the same options with another start position in channels that already exist.
   *
   * @param start the start position
   * @return new options
   */
  public Options start(Start start) {
    return new Options(depth, Objects.requireNonNull(start, "start"));
  }

  /** The options, for logs and debuggers. */
  @Override
  public String toString() {
    String mode = depth == 0 ? "newest" : "next " + depth;
    return start == Start.NEWEST ? mode : mode + ", from " + start.name().toLowerCase(Locale.ROOT);
  }
}
