package org.saltus;

import java.util.Objects;

/**
 * Publishes messages of one type. It registers that type with the channel if the transport keeps
 * types. Otherwise it works as {@link Publisher}.
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
   * @param message the message; its size fields must be the lengths of its arrays ({@code
   *     setSizes()})
   * @throws SaltusException.EncodeFailed if they are not, or a field is null
   * @throws SaltusException as {@link Publisher#publish(byte[])}
   */
  public void publish(T message) {
    publisher.publish(codec.encode(Objects.requireNonNull(message, "message")));
  }

  /**
   * The publisher that publishes the encoded bytes.
   *
   * @return the publisher; {@link #close()} closes it
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

  /** Closes this publisher. Its messages stay. */
  @Override
  public void close() {
    publisher.close();
  }

  /** A description for logs and debuggers. */
  @Override
  public String toString() {
    return publisher + ", of type " + codec.type.getName();
  }
}
