package org.saltus;

/** A message of a log. It has its own memory. */
public final class Event {
  private final byte[] data;
  private final String channel;
  private final long[] numbers;

  Event(byte[] data, String channel, long[] numbers) {
    this.data = data;
    this.channel = channel;
    this.numbers = numbers;
  }

  /**
   * The message as it was published, byte for byte; not copied.
   *
   * @return the bytes
   */
  public byte[] data() {
    return data;
  }

  /**
   * The channel it came on.
   *
   * @return its name; bytes that are not UTF-8 are lone surrogates
   */
  public String channel() {
    return channel;
  }

  /**
   * When it was logged.
   *
   * @return ns since 1970, as far as the file is to be trusted
   */
  public long logTime() {
    return numbers[0];
  }

  /**
   * When it was published.
   *
   * @return ns since 1970; {@link Info#NO_TIME} where the format does not say
   */
  public long publishTime() {
    return numbers[1];
  }

  /**
   * The number that its publisher gave it.
   *
   * @return the number; {@link Info#UNKNOWN} where the format does not say
   */
  public long sequence() {
    return numbers[2];
  }

  /**
   * What it says, decoded anew at each call.
   *
   * @param <T> the type
   * @param type a class made by {@code saltus gen --lang java}
   * @return the message
   * @throws SaltusException.DecodeFailed if it is not of this type, or is damaged
   * @throws IllegalArgumentException if the class is no such class
   */
  public <T> T value(Class<T> type) {
    return new Codec<>(type).decode(data, this::channel);
  }

  @Override
  public String toString() {
    return "event of " + channel + " at " + logTime() + " ns: " + data.length + " bytes";
  }
}
