package org.saltus;

import java.nio.ByteBuffer;

/** A received message. It has its own memory, so nothing overwrites it. */
public class Message extends Info {
  private byte[] data;

  Message() {}

  void setData(byte[] bytes) {
    data = bytes;
  }

  /**
   * The message's bytes, not copied: a change to them changes this message.
   *
   * @return the bytes
   */
  public byte[] data() {
    return data;
  }

  /**
   * The message's bytes as a read-only buffer, big endian; not copied.
   *
   * @return a new buffer
   */
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(data).asReadOnlyBuffer();
  }

  @Override
  public String toString() {
    return "message of " + channel() + ": " + length() + " bytes";
  }
}
