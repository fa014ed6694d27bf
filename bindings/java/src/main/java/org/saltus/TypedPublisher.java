package org.saltus;

import java.util.Objects;

/**
 * Publishes messages of one type, and leaves with the channel what they are, where there is a place
 * for it. Otherwise as {@link Publisher}.
 *
 * @param <T> the generated class
 */
public final class TypedPublisher<T> implements AutoCloseable {
  private final Publisher publisher;
  private final Codec<T> codec;

  TypedPublisher(Publisher publisher, Codec<T> codec) {
    this.publisher = publisher;
    this.codec = codec;
  }

  /**
   * Encodes and publishes a message.
   *
   * @param message the message; its sizes are those of its arrays ({@code setSizes()})
   * @throws SaltusException.EncodeFailed if they are not, or something in it is null
   * @throws SaltusException as {@link Publisher#publish(byte[])}
   */
  public void publish(T message) {
    publisher.publish(codec.encode(Objects.requireNonNull(message, "message")));
  }

  /**
   * What publishes the bytes.
   *
   * @return the publisher, closed together with this
   */
  public Publisher publisher() {
    return publisher;
  }

  /**
   * The type of its messages.
   *
   * @return the generated class
   */
  public Class<T> type() {
    return codec.type;
  }

  /** Closes it. What it published stays. */
  @Override
  public void close() {
    publisher.close();
  }

  /** What it is, for logs and debuggers. */
  @Override
  public String toString() {
    return publisher + ", of type " + codec.type.getName();
  }
}
