package org.saltus;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Publishes bytes in one channel. It never waits for a subscriber. In shared memory only the first
 * message may block, in the file system; on a network, publishing blocks as long as sending does.
 *
 * <p>One thread at a time may use it; a second thread gets an {@link IllegalStateException}.
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
   * @throws SaltusException.TooLong if the message is too long for the channel or the transport
   * @throws SaltusException if the operating system reports an error; the call does not try again
   * @throws IllegalStateException if this is closed, or in use by another thread
   */
  public void publish(byte[] message) {
    publish(message, 0, message.length);
  }

  /**
   * Publishes a part of an array.
   *
   * @param message the array
   * @param offset the index of the message's first byte
   * @param length the length of the message, in bytes
   * @throws IndexOutOfBoundsException if this range is not inside the array
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
   * Publishes the remaining bytes of a buffer and moves its position to its limit. A direct buffer
   * is read without an extra copy; no thread may write it during the call. If it maps a file, the
   * file must not be truncated: the operating system kills a process that reads past its end.
   *
   * @param message the buffer
   * @throws SaltusException as {@link #publish(byte[])}; the position then does not change
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
   * Publishes a message with a timestamp of your choice, for programs that replay a log.
   *
   * @param message all its bytes
   * @param timestampNanos ns of {@link Saltus#nowNanos()} in shared memory, ns since 1970 in a log
   * @return the timestamp that the message got: a publisher's timestamps never decrease, and are
   *     never in the future
   * @throws SaltusException.Unsupported where messages carry no timestamps
   * @throws SaltusException as {@link #publish(byte[])}
   */
  public long publishWithTimestamp(byte[] message, long timestampNanos) {
    return Native.checked(Native.publishWithTimestamp(handle, Objects.requireNonNull(message), timestampNanos));
  }

  /**
   * The {@link Info#sender()} of messages from this publisher.
   *
   * @return the number; {@link Info#UNKNOWN} if the transport has no such number, and in shared
   *     memory before the first message
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

  /** Closes this publisher. Its messages stay. Closing it twice has no effect. */
  @Override
  public void close() {
    closed = true;
    Native.publisherClose(handle);
  }

  /**
   * Whether this object is closed.
   *
   * @return true after {@link #close()} was called
   */
  public boolean isClosed() {
    return closed;
  }

  /** A description for logs and debuggers. */
  @Override
  public String toString() {
    return "publisher of " + channel + (closed ? ", closed" : "");
  }
}
