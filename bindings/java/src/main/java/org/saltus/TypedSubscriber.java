package org.saltus;

/**
 * Receives messages of one type. One of another type is told once a channel and type, by {@link
 * SaltusException.WrongType}, and passed over later; one of the type that cannot be decoded is
 * {@link SaltusException.DecodeFailed}. After both, call again.
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
   * Messages of other types that were passed over.
   *
   * @return how many
   */
  public long mismatched() {
    return Native.checked(Native.subscriberMismatched(handle));
  }

  /** What it is, for logs and debuggers. */
  @Override
  public String toString() {
    return super.toString() + ", of type " + codec.type.getName();
  }
}
