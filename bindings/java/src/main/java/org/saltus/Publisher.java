package org.saltus;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Publishes bytes in one channel. It waits for no subscriber: in shared memory publishing never
 * blocks but, for the first message, in the file system; on a network it takes what sending takes.
 *
 * <p>One thread at a time may use it; a second one gets {@link IllegalStateException}.
 */
public final class Publisher implements AutoCloseable {
  final long handle;
  private final String channel;
  private volatile boolean closed;

  Publisher(long handle, String channel) {
    this.handle = handle;
    this.channel = channel;
  }

  /**
   * Publishes a message.
   *
   * @param message all its bytes
   * @throws SaltusException.TooLong if the channel, or the transport, cannot hold it
   * @throws SaltusException if the system refuses, which is told and not retried
   * @throws IllegalStateException if it is closed, or in use by another thread
   */
  public void publish(byte[] message) {
    publish(message, 0, message.length);
  }

  /**
   * Publishes a part of an array.
   *
   * @param message the array
   * @param offset where the message begins
   * @param length how many bytes it has
   * @throws IndexOutOfBoundsException if the array does not have them
   * @throws SaltusException as {@link #publish(byte[])}
   */
  public void publish(byte[] message, int offset, int length) {
    if ((offset | length) < 0 || length > message.length - offset) {
      String words = length + " bytes from byte " + offset + " on, of " + message.length;
      throw new IndexOutOfBoundsException(words);
    }
    Native.checked(Native.publishArray(handle, message, offset, length));
  }

  /**
   * Publishes what remains in a buffer, whose position moves to its limit. A direct buffer is not
   * copied on the way; nobody may write it meanwhile. One over a mapped file must not have lost its
   * file's bytes: the system ends a program that reads there.
   *
   * @param message the buffer
   * @throws SaltusException as {@link #publish(byte[])}; the position is then as it was
   */
  public void publish(ByteBuffer message) {
    int at = message.position();
    int length = message.remaining();
    if (message.isDirect()) {
      if (length > 0) {
        message.get(at); // throws if its memory is gone
      }
      Native.checked(Native.publishDirect(handle, message, at, length));
    } else if (message.hasArray()) {
      publish(message.array(), message.arrayOffset() + at, length);
    } else {
      byte[] copy = new byte[length];
      message.duplicate().get(copy);
      publish(copy);
    }
    ((Buffer) message).position(at + length);
  }

  /**
   * Publishes a message with the timestamp of another time, for programs that replay a log.
   *
   * @param message all its bytes
   * @param timestamp ns of {@link Saltus#now()} in shared memory, ns since 1970 in a log
   * @return the timestamp that it got: a publisher's timestamps never go back, and none lies in the future
   * @throws SaltusException.Unsupported where messages carry no timestamps
   * @throws SaltusException as {@link #publish(byte[])}
   */
  public long publishWithTimestamp(byte[] message, long timestamp) {
    return Native.checked(Native.publishWithTimestamp(handle, Objects.requireNonNull(message), timestamp));
  }

  /**
   * What {@link Info#sender()} says of messages that this publishes.
   *
   * @return the number; {@link Info#UNKNOWN} where the transport has none, and over shared memory
   *     before the first message
   */
  public long sender() {
    long[] out = new long[1];
    Native.checked(Native.publisherSender(handle, out));
    return out[0];
  }

  /**
   * The channel.
   *
   * @return its name
   */
  public String channel() {
    return channel;
  }

  /** Closes it. What it published stays. Closing twice is nothing. */
  @Override
  public void close() {
    closed = true;
    Native.publisherClose(handle);
  }

  /**
   * Whether it is closed.
   *
   * @return whether {@link #close()} was called
   */
  public boolean isClosed() {
    return closed;
  }

  /** What it is, for logs and debuggers. */
  @Override
  public String toString() {
    return "publisher of " + channel + (closed ? ", closed" : "");
  }
}
