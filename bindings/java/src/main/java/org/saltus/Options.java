package org.saltus;

import java.util.Locale;
import java.util.Objects;

/** What a subscriber wants of its channels. Never changes. */
public final class Options {
  /** Messages that may wait; 0: the newest only. */
  final long depth;

  final Start start;

  private Options(long depth, Start start) {
    this.depth = depth;
    this.start = start;
  }

  /**
   * The newest message of each receive; what is older and unseen is passed over. The default.
   *
   * @return these options
   */
  public static Options newest() {
    return new Options(0, Start.NEWEST);
  }

  /**
   * All messages in their order, as long as no more than {@code depth} of a channel are waiting:
   * then the oldest are dropped. Over {@code shm://}, a channel subscribed to by its name that keeps
   * fewer messages is replaced by a deeper one, or subscribing fails and says what helps.
   *
   * @param depth messages, 1 or more
   * @return these options
   */
  public static Options next(long depth) {
    if (depth < 1) {
      throw new IllegalArgumentException("a depth of " + depth + ": it is 1 or more");
    }
    return new Options(depth, Start.NEWEST);
  }

  /**
   * The same, starting elsewhere in channels that are there already.
   *
   * @param start where
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
