package org.saltus;

/** What is known about a message, but for its bytes. Names and units are those of all languages. */
public class Info {
  /** A number that the transport does not tell. */
  public static final long UNKNOWN = -1;

  /** A time that nobody tells. */
  public static final long NO_TIME = Long.MIN_VALUE;

  private static final int NUMBERS = 10;
  private static final int LONGEST_NAME = 63;

  /** As the native half fills it in. */
  final long[] numbers = new long[NUMBERS];

  final byte[] name = new byte[LONGEST_NAME];

  Info() {}

  /**
   * How long the message is.
   *
   * @return bytes
   */
  public int length() {
    return (int) numbers[0];
  }

  /**
   * When it was published.
   *
   * @return ns of {@link Saltus#now()}, or {@link #UNKNOWN}
   */
  public long published() {
    return numbers[1];
  }

  /**
   * When it came to this machine.
   *
   * @return ns of {@link Saltus#now()}
   */
  public long arrived() {
    return numbers[2];
  }

  /**
   * When a log says that it was recorded.
   *
   * @return µs since 1970; {@link #NO_TIME} where it comes from no log
   */
  public long logged() {
    return numbers[3];
  }

  /**
   * A number that tells senders apart, of 64 bits without a sign.
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
   * Messages missed since the last one received: lost on the way, or overwritten in shared memory.
   *
   * @return how many; {@link #UNKNOWN} if nobody knows
   */
  public long missed() {
    return numbers[6];
  }

  /**
   * Messages dropped in this process since the last one received, because the subscriber was slow
   * or wanted the newest only. Exact.
   *
   * @return how many
   */
  public long dropped() {
    return numbers[7];
  }

  /**
   * Whether {@link #missed()} counts over all channels of the sender, as on LCM's network.
   *
   * @return false: over this channel
   */
  public boolean missedOfSender() {
    return numbers[8] != 0;
  }

  /**
   * The channel. Makes a new string.
   *
   * @return its name; bytes that are not UTF-8 are lone surrogates
   */
  public String channel() {
    return Text.of(name, (int) numbers[9]);
  }

  /**
   * How old it is: since its publication if that is known, else since its arrival.
   *
   * @return ns
   */
  public long age() {
    return Math.max(0, Saltus.now() - (published() == UNKNOWN ? arrived() : published()));
  }
}
