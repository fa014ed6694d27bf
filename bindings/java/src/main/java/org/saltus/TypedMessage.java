package org.saltus;

/**
 * A message of one type.
 *
 * @param <T> the generated class
 */
public final class TypedMessage<T> extends Message {
  private T value;

  TypedMessage() {}

  void setValue(T decoded) {
    value = decoded;
  }

  /**
   * The decoded message.
   *
   * @return the value, decoded when the message was received; the same object each time
   */
  public T value() {
    return value;
  }

  /** A description for logs and debuggers. */
  @Override
  public String toString() {
    return "message of " + channel() + ": " + value;
  }
}
