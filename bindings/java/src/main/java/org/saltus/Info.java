package org.saltus;

/** A message's metadata, without its bytes. All languages use the same names and units. */
public class Info {
  /** The value of a number that the transport does not provide. */
  public static final long UNKNOWN = -1;

  /** The value of an unknown time. */
  public static final long NO_TIME = Long.MIN_VALUE;

  private static final int NUMBERS = 10;
  private static final int LONGEST_NAME = 63;

  /** The native library fills this in. */
  final long[] numbers = new long[NUMBERS];

  final byte[] name = new byte[LONGEST_NAME];

  Info() {}

  /**
   * The length of the message.
   *
   * @return bytes
   */
  public int length() {
    return (int) numbers[0];
  }

  /**
   * The time at which it was published.
   *
   * @return ns of {@link Saltus#nowNanos()}, or {@link #UNKNOWN}
   */
  public long publishedNanos() {
    return numbers[1];
  }

  /**
   * The time at which it arrived on this machine.
   *
   * @return ns of {@link Saltus#nowNanos()}
   */
  public long arrivedNanos() {
    return numbers[2];
  }

  /**
   * The time at which it was recorded, from a log.
   *
   * @return µs since 1970; {@link #NO_TIME} if the message is not from a log
   */
  public long loggedMicros() {
    return numbers[3];
  }

  /**
   * The sender's number, unsigned, of 64 bits. Each sender has its own.
   *
   * @return the number, or {@link #UNKNOWN}
   */
  public long sender() {
    return numbers[4];
  }

  /**
   * Its number among the sender's messages.
   *
   * @return the number, or {@link #UNKNOWN}
   */
  public long sequence() {
    return numbers[5];
  }

  /**
   * Messages missed since the last one received: lost on the network, or overwritten in shared
   * memory.
   *
   * @return the number of messages, or {@link #UNKNOWN}
   */
  public long missed() {
    return numbers[6];
  }

  /**
   * Messages dropped in this process since the last one received, because the subscriber was slow
   * or receives only the newest. This number is exact.
   *
   * @return the number of messages
   */
  public long dropped() {
    return numbers[7];
  }

  /**
   * Whether {@link #missed()} counts over all channels of the sender, as on LCM's network.
   *
   * @return true: over all channels; false: over this channel only
   */
  public boolean missedOfSender() {
    return numbers[8] != 0;
  }

  /**
   * The message's channel. Each call makes a new string.
   *
   * @return its name; bytes that are not UTF-8 are lone surrogates
   */
  public String channel() {
    return Text.of(name, (int) numbers[9]);
  }

  /**
   * The message's age: the time since it was published, or, if that is unknown, since it arrived.
   *
   * @return ns
   */
  public long ageNanos() {
    return Math.max(0, Saltus.nowNanos() - (publishedNanos() == UNKNOWN ? arrivedNanos() : publishedNanos()));
  }
}
