package org.saltus;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * Receives from one channel or many. No publisher waits for it.
 *
 * <p>One thread at a time may use it; a second one gets {@link IllegalStateException}. Only {@link
 * #cancel()}, {@link #reset()} and {@link #close()} may be called meanwhile. What waits ends within
 * 0.1 s when its thread is interrupted, with {@link SaltusException.Canceled}; the thread stays
 * marked as interrupted.
 *
 * @param <M> what messages are
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

  /** The message has its bytes now. */
  void complete(M message) {}

  /**
   * Receives: the newest message not seen, or the next, as it was subscribed. Waits for ever.
   *
   * @return the message
   * @throws SaltusException.Canceled if it was canceled
   * @throws SaltusException.WrongType once, if there are messages of another type: call again
   * @throws SaltusException.Ended at the end of a log
   * @throws IllegalStateException if it is closed, also meanwhile, or in use by another thread
   */
  public M receive() {
    return take(UNSEEN, Time.FOREVER);
  }

  /**
   * Receives: the newest message not seen, or the next, as it was subscribed.
   *
   * @param timeout how long to wait; not at all with {@link Duration#ZERO}
   * @return the message; null when the time is up
   * @throws SaltusException as {@link #receive()}
   */
  public M receive(Duration timeout) {
    return take(UNSEEN, Time.nanos(timeout));
  }

  /**
   * Receives without waiting.
   *
   * @return the message; null if there is none unseen
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
   * @param timeout how long to wait for one, where there is none yet
   * @return the message; null if there is none
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
   * Receives into a direct buffer, and allocates nothing: at its position, which moves behind the
   * message. What is known about the message is in {@link #info()}. Messages of all types come, if
   * it is subscribed without one.
   *
   * @param into a direct buffer; one that is too small is told, and the message stays to be received
   * @param timeout how long to wait; not at all with {@link Duration#ZERO}
   * @return how long the message is, in bytes; -1 when the time is up
   * @throws SaltusException.TooSmall if the message is longer than what remains: {@link #info()}
   *     says how long it is, and the next receive gives it again
   * @throws SaltusException as {@link #receive()}
   * @throws IllegalArgumentException if the buffer is not direct, or can only be read
   */
  public int receive(ByteBuffer into, Duration timeout) {
    if (!into.isDirect() || into.isReadOnly()) {
      throw new IllegalArgumentException("a direct buffer is needed that can be written");
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
   * What is known about the message that {@link #receive(ByteBuffer, Duration)} received last.
   *
   * @return the same object each time
   */
  public Info info() {
    return info;
  }

  /**
   * Waits until something may be unseen.
   *
   * @param timeout how long
   * @return false when the time is up
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
   * Names of the channels that it has joined so far.
   *
   * @return a new list
   */
  public List<String> channels() {
    return new ArrayList<>(Text.list(Native.checked(Native.subscriberChannels(handle))).keySet());
  }

  /**
   * Cancels the present wait, if there is one, and all later ones, from any thread. They throw
   * {@link SaltusException.Canceled} until {@link #reset()}, and iterations end. What does not wait
   * is not affected.
   */
  public void cancel() {
    Native.checked(Native.subscriberCancel(handle, 1));
  }

  /** Lets waits wait again, from any thread. */
  public void reset() {
    Native.checked(Native.subscriberCancel(handle, 0));
  }

  /**
   * The messages as they come: the same as {@link #receive()}, for ever. Ends with a log's end, or
   * when waits are canceled.
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

  /** Closes it, and ends the wait of another thread. Closing twice is nothing. */
  @Override
  public void close() {
    closed = true;
    Native.subscriberClose(handle);
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
    return what + (closed ? ", closed" : "");
  }
}
