package org.saltus;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * Receives from one channel or many. Publishers never wait for a subscriber.
 *
 * <p>One thread at a time may use it; a second thread gets an {@link IllegalStateException}. Only
 * {@link #cancel()}, {@link #reset()} and {@link #close()} may be called at the same time. When you
 * interrupt a waiting thread, its call throws {@link SaltusException.Canceled} within 0.1 s. The
 * thread stays marked as interrupted.
 *
 * @param <M> the class of messages
 */
public abstract class Receiver<M extends Message> implements Iterable<M>, AutoCloseable {
  private static final int UNSEEN = 0;
  private static final int NEWEST = 1;

  final long handle;
  private final String what;
  private final Info info = new Info();
  private volatile boolean closed;

  Receiver(long handle, String what) {
    this.handle = handle;
    this.what = what;
  }

  /** A message without bytes yet. */
  abstract M empty();

  /** Completes a message after it got its bytes. */
  void complete(M message) {}

  /**
   * Receives the newest message if it is new, or the next one, as the {@link Options} say. Waits
   * without a timeout.
   *
   * @return the message
   * @throws SaltusException.Canceled if the wait was canceled
   * @throws SaltusException.WrongType once, if there are messages of another type: call again
   * @throws SaltusException.Ended at the end of a log
   * @throws IllegalStateException if this is closed, before or during the call, or is in use by
   *     another thread
   */
  public M receive() {
    return take(UNSEEN, Time.FOREVER);
  }

  /**
   * Receives the newest message if it is new, or the next one, as the {@link Options} say.
   *
   * @param timeout how long to wait; {@link Duration#ZERO} does not wait
   * @return the message; null on timeout
   * @throws SaltusException as {@link #receive()}
   */
  public M receive(Duration timeout) {
    return take(UNSEEN, Time.nanos(timeout));
  }

  /**
   * Receives without waiting.
   *
   * @return the message; null if there is no new one
   * @throws SaltusException as {@link #receive()}
   */
  public M poll() {
    return take(UNSEEN, 0);
  }

  /**
   * Returns the current message: the newest, whether or not it was received before. Does
   * not wait.
   *
   * @return the message; null if there is none
   * @throws SaltusException as {@link #receive()}
   */
  public M current() {
    return take(NEWEST, 0);
  }

  /**
   * Returns the current message: the newest, whether or not it was received before.
   *
   * @param timeout how long to wait for a message if there is none yet
   * @return the message; null on timeout
   * @throws SaltusException as {@link #receive()}
   */
  public M current(Duration timeout) {
    return take(NEWEST, Time.nanos(timeout));
  }

  private M take(int which, long timeout) {
    M message = empty();
    long start = System.nanoTime();
    do {
      long slice = Time.slice(timeout, start);
      byte[] data = Native.receive(handle, which, slice, message.numbers, message.name);
      if (data != null) {
        message.setData(data);
        complete(message);
        return message;
      }
      Native.checkNothing();
    } while (!Time.isOver(timeout, start));
    return null;
  }

  /**
   * Receives into a direct buffer without allocating. The message starts at the buffer's position,
   * which then moves to the message's end. {@link #info()} has the message's metadata. A subscriber
   * without a type receives messages of all types.
   *
   * @param into a direct buffer that is not read-only
   * @param timeout how long to wait; {@link Duration#ZERO} does not wait
   * @return the length of the message, in bytes; -1 on timeout
   * @throws SaltusException.TooSmall if the message is longer than the remaining space: {@link
   *     #info()} has its length, and the next call receives it again
   * @throws SaltusException as {@link #receive()}
   * @throws IllegalArgumentException if the buffer is not direct, or is read-only
   */
  public int receive(ByteBuffer into, Duration timeout) {
    if (!into.isDirect() || into.isReadOnly()) {
      throw new IllegalArgumentException("the buffer must be direct, and not read-only");
    }
    long time = Time.nanos(timeout);
    long start = System.nanoTime();
    int at = into.position();
    int room = into.remaining();
    if (room > 0) {
      into.get(at); // throws if its memory is gone
    }
    do {
      long slice = Time.slice(time, start);
      int length =
          Native.checked(
              Native.receiveInto(handle, UNSEEN, slice, info.numbers, info.name, into, at, room));
      if (length >= 0) {
        ((Buffer) into).position(at + length);
        return length;
      }
    } while (!Time.isOver(time, start));
    return -1;
  }

  /**
   * The metadata of the message that {@link #receive(ByteBuffer, Duration)} received last.
   *
   * @return the same object each time
   */
  public Info info() {
    return info;
  }

  /**
   * Waits until there may be a new message.
   *
   * @param timeout how long to wait
   * @return false on timeout
   * @throws SaltusException as {@link #receive()}
   */
  public boolean await(Duration timeout) {
    long time = Time.nanos(timeout);
    long start = System.nanoTime();
    do {
      if (Native.checked(Native.subscriberWait(handle, Time.slice(time, start))) != 0) {
        return true;
      }
    } while (!Time.isOver(time, start));
    return false;
  }

  /**
   * The names of the channels that this subscriber has joined so far.
   *
   * @return a new list
   */
  public List<String> channels() {
    return new ArrayList<>(Text.list(Native.checked(Native.subscriberChannels(handle))).keySet());
  }

  /**
   * Cancels the current wait, if any, and all later ones. You may call it from any thread. Waits
   * throw {@link SaltusException.Canceled} until {@link #reset()}, and iterations end. Calls that
   * do not wait are not affected.
   */
  public void cancel() {
    Native.checked(Native.subscriberCancel(handle, 1));
  }

  /** Lets waits wait again after {@link #cancel()}. You may call it from any thread. */
  public void reset() {
    Native.checked(Native.subscriberCancel(handle, 0));
  }

  /**
   * Iterates over messages as they arrive: each step calls {@link #receive()}. It ends at the end
   * of a log, or when waits are canceled.
   */
  @Override
  public Iterator<M> iterator() {
    return new Iterator<M>() {
      private M next;

      @Override
      public boolean hasNext() {
        try {
          next = next == null ? receive() : next;
        } catch (SaltusException.Ended | SaltusException.Canceled end) {
          return false;
        }
        return true;
      }

      @Override
      public M next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        M message = next;
        next = null;
        return message;
      }
    };
  }

  /** Closes this subscriber and ends the wait of another thread. Closing it twice has no effect. */
  @Override
  public void close() {
    closed = true;
    Native.subscriberClose(handle);
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
    return what + (closed ? ", closed" : "");
  }
}
