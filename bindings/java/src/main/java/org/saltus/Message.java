package org.saltus;

import java.nio.ByteBuffer;

/** A message. It has its own memory, and stays as it is. */
public class Message extends Info {
  private byte[] data;

  Message() {}

  void setData(byte[] bytes) {
    data = bytes;
  }

  /**
   * Its bytes, not copied: a change to them changes this message.
   *
   * @return the bytes
   */
  public byte[] data() {
    return data;
  }

  /**
   * Its bytes as a buffer that can only be read, big endian; not copied.
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
