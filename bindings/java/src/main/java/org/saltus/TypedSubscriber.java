package org.saltus;

/**
 * Receives messages of one type. The first message of each other type in a channel throws {@link
 * SaltusException.WrongType}; later ones are skipped. A message of the right type that cannot be
 * decoded throws {@link SaltusException.DecodeFailed}. After both, call again.
 *
 * @param <T> the generated class
 */
public final class TypedSubscriber<T> extends Receiver<TypedMessage<T>> {
  private final Codec<T> codec;

  TypedSubscriber(long handle, String what, Codec<T> codec) {
    super(handle, what);
    this.codec = codec;
  }

  @Override
  TypedMessage<T> empty() {
    return new TypedMessage<>();
  }

  @Override
  void complete(TypedMessage<T> message) {
    message.setValue(codec.decode(message.data(), message::channel));
  }

  /**
   * The type of its messages.
   *
   * @return the generated class
   */
  public Class<T> type() {
    return codec.type;
  }

  /**
   * The number of messages of other types that this subscriber skipped.
   *
   * @return the number of messages
   */
  public long mismatched() {
    return Native.checked(Native.subscriberMismatched(handle));
  }

  /** A description for logs and debuggers. */
  @Override
  public String toString() {
    return super.toString() + ", of type " + codec.type.getName();
  }
}
