package org.saltus;

/**
 * A message of a type.
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
   * What it says.
   *
   * @return decoded when it was received, the same object each time
   */
  public T value() {
    return value;
  }

  /** What it is, for logs and debuggers. */
  @Override
  public String toString() {
    return "message of " + channel() + ": " + value;
  }
}
