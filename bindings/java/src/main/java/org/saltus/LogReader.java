package org.saltus;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * Reads an LCM or MCAP log. Its events are in order of time, at positions from 0. The reader skips
 * damaged parts.
 *
 * <p>One thread at a time may use it; a second thread gets an {@link IllegalStateException}. All
 * methods may block in the file system.
 */
public final class LogReader implements Iterable<Event>, AutoCloseable {
  private static final int NEXT = 0;
  private static final int PREVIOUS = 1;
  private static final int AT = 2;

  private final long handle;
  private final String path;
  private String channel = "";
  /** Whether the channel has changed, and its name was not read yet. */
  private boolean another;
  private volatile boolean closed;

  private LogReader(long handle, String path) {
    this.handle = handle;
    this.path = path;
  }

  /**
   * Opens a log. Opening reads it once to make an index. The index of a large log is kept in a file
   * next to it, if permissions allow that.
   *
   * @param path the file
   * @return the log; close it after use
   * @throws SaltusException.NotFound if the file does not exist
   * @throws SaltusException.NotALog if it is not a log
   * @throws SaltusException if the operating system reports an error
   */
  public static LogReader open(Path path) {
    return open(path.toString());
  }

  /**
   * Opens a log, as {@link #open(Path)}.
   *
   * @param path the file, relative to the current directory or absolute
   * @return the log; close it after use
   * @throws SaltusException as {@link #open(Path)}
   */
  public static LogReader open(String path) {
    return new LogReader(Native.checked(Native.logOpen(Text.bytes(path))), path);
  }

  /**
   * Reads the next event and moves one step forward.
   *
   * @return the event; null at the end
   * @throws SaltusException.DecodeFailed if the event cannot be decoded; call again to skip it
   * @throws SaltusException.Invalid if the event is too long for an array; call again to skip it.
   *     The same holds for an {@link OutOfMemoryError}.
   * @throws SaltusException.Changed if the file was changed
   */
  public Event next() {
    return read(NEXT, 0);
  }

  /**
   * Reads the previous event and moves one step backward.
   *
   * @return the event; null at the beginning
   * @throws SaltusException as {@link #next()}
   */
  public Event previous() {
    return read(PREVIOUS, 0);
  }

  /**
   * Reads the event at a position. The log's own position does not change.
   *
   * @param position the event's position, from 0
   * @return the event; null behind the last one
   * @throws SaltusException as {@link #next()}
   */
  public Event get(long position) {
    if (position < 0) {
      throw new IndexOutOfBoundsException("event " + position);
    }
    return read(AT, position);
  }

  private synchronized Event read(int how, long position) {
    long[] numbers = new long[4];
    byte[] data = Native.logRead(handle, how, position, numbers);
    if (data == null) {
      Native.checkNothing();
      return null;
    }
    another |= numbers[3] != 0;
    if (another) {
      channel = Text.of(Native.checked(Native.logChannel(handle)));
      another = false;
    }
    return new Event(data, channel, numbers);
  }

  /**
   * Moves to a position. A position behind the last event is the end.
   *
   * @param position the event's position, from 0
   */
  public void seek(long position) {
    Native.checked(Native.logSeek(handle, position));
  }

  /**
   * Moves to the first event at or after a time, or to the end.
   *
   * @param timeNanos ns since 1970
   * @return the new position
   */
  public long seekTime(long timeNanos) {
    return Native.checked(Native.logSeekTime(handle, timeNanos));
  }

  private long about(int what) {
    long[] out = new long[5];
    Native.checked(Native.logAbout(handle, out));
    return out[what];
  }

  /**
   * The number of events.
   *
   * @return the number
   */
  public long size() {
    return about(0);
  }

  /**
   * The position of the next event.
   *
   * @return the position, from 0
   */
  public long position() {
    return about(1);
  }

  /**
   * The time at which the first event was logged.
   *
   * @return ns since 1970; {@link Info#NO_TIME} if the log is empty
   */
  public long firstTimeNanos() {
    return about(2);
  }

  /**
   * The time at which the last event was logged.
   *
   * @return ns since 1970; {@link Info#NO_TIME} if the log is empty
   */
  public long lastTimeNanos() {
    return about(3);
  }

  /**
   * The log's format.
   *
   * @return LCM or MCAP
   */
  public LogFormat format() {
    return about(4) == 0 ? LogFormat.LCM : LogFormat.MCAP;
  }

  /**
   * The number of messages of each channel.
   *
   * @return a new map from channel names to numbers
   */
  public Map<String, Long> channels() {
    return Text.list(Native.checked(Native.logChannels(handle)));
  }

  /**
   * A description of the parts that the reader could not read.
   *
   * @return the description; "none" if it could read all
   */
  public String damage() {
    return Text.of(Native.checked(Native.logDamage(handle)));
  }

  /** Iterates over the events from the current position. Each step calls {@link #next()}. */
  @Override
  public Iterator<Event> iterator() {
    return new Iterator<Event>() {
      private Event next;

      @Override
      public boolean hasNext() {
        next = next == null ? LogReader.this.next() : next;
        return next != null;
      }

      @Override
      public Event next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        Event event = next;
        next = null;
        return event;
      }
    };
  }

  /** Closes the log. Closing it twice has no effect. */
  @Override
  public void close() {
    closed = true;
    Native.logClose(handle);
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
    return "log " + path + (closed ? ", closed" : "");
  }
}
