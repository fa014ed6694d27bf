package lcm.lcm;

/** What carries the messages of an {@link LCM}. */
public interface Provider {
  /**
   * Publishes a message.
   *
   * @param channel the channel
   * @param data an array with the message
   * @param offset where the message begins
   * @param length how many bytes it has
   */
  void publish(String channel, byte[] data, int offset, int length);

  /**
   * Begins to receive; the provider calls {@link LCM#receiveMessage}.
   *
   * @param channel a pattern of channels; more may be received
   */
  void subscribe(String channel);

  /**
   * Ends one subscription.
   *
   * @param channel its pattern
   */
  void unsubscribe(String channel);

  /** Stops. */
  void close();
}
