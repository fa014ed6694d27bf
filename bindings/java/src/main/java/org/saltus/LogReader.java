package org.saltus;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * A log, LCM's or MCAP, whose events are there in the order of time, at positions from 0. What is
 * damaged is passed over.
 *
 * <p>One thread at a time may use it; a second one gets {@link IllegalStateException}. All methods
 * may block in the file system.
 */
public final class LogReader implements Iterable<Event>, AutoCloseable {
  private static final int NEXT = 0;
  private static final int PREVIOUS = 1;
  private static final int AT = 2;

  private final long handle;
  private final String path;
  private String channel = "";
  /** Whether the channel is another one, and could not be asked for yet. */
  private boolean another;
  private volatile boolean closed;

  private LogReader(long handle, String path) {
    this.handle = handle;
    this.path = path;
  }

  /**
   * Opens a log. It is read once, and an index made; beside a large one it is kept, if that is
   * allowed.
   *
   * @param path the file
   * @return the log, to be closed
   * @throws SaltusException.NotFound if there is no such file
   * @throws SaltusException.NotALog if it is not a log
   * @throws SaltusException if the system refuses
   */
  public static LogReader open(Path path) {
    return open(path.toString());
  }

  /**
   * Opens a log, as {@link #open(Path)}.
   *
   * @param path the file, relative to the current directory or absolute
   * @return the log, to be closed
   * @throws SaltusException as {@link #open(Path)}
   */
  public static LogReader open(String path) {
    return new LogReader(Native.checked(Native.logOpen(Text.bytes(path))), path);
  }

  /**
   * The next event, and a step forward.
   *
   * @return the event; null at the end
   * @throws SaltusException.DecodeFailed if it cannot be turned into what was published: go on
   * @throws SaltusException.Invalid if it is too long for an array: go on, it is passed over; so it
   *     is when there is no memory for it
   * @throws SaltusException.Changed if the file was changed
   */
  public Event next() {
    return read(NEXT, 0);
  }

  /**
   * The event before, and a step backwards.
   *
   * @return the event; null at the beginning
   * @throws SaltusException as {@link #next()}
   */
  public Event previous() {
    return read(PREVIOUS, 0);
  }

  /**
   * The event at a position; where the log stands does not change.
   *
   * @param position from 0
   * @return the event; null behind the last
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
   * Goes to a position; behind the last is as good as the end.
   *
   * @param position from 0
   */
  public void seek(long position) {
    Native.checked(Native.logSeek(handle, position));
  }

  /**
   * Goes to the first event at or after a time, or to the end.
   *
   * @param time ns since 1970
   * @return its position
   */
  public long seekTime(long time) {
    return Native.checked(Native.logSeekTime(handle, time));
  }

  private long about(int what) {
    long[] out = new long[5];
    Native.checked(Native.logAbout(handle, out));
    return out[what];
  }

  /**
   * How many events there are.
   *
   * @return events
   */
  public long size() {
    return about(0);
  }

  /**
   * The position of the next event.
   *
   * @return from 0
   */
  public long position() {
    return about(1);
  }

  /**
   * When the first event was logged.
   *
   * @return ns since 1970; {@link Info#NO_TIME} if there is none
   */
  public long firstTime() {
    return about(2);
  }

  /**
   * When the last event was logged.
   *
   * @return ns since 1970; {@link Info#NO_TIME} if there is none
   */
  public long lastTime() {
    return about(3);
  }

  /**
   * The format.
   *
   * @return LCM's or MCAP
   */
  public LogFormat format() {
    return about(4) == 0 ? LogFormat.LCM : LogFormat.MCAP;
  }

  /**
   * How many messages each channel has.
   *
   * @return a new map, by the channels' names
   */
  public Map<String, Long> channels() {
    return Text.list(Native.checked(Native.logChannels(handle)));
  }

  /**
   * What could not be read.
   *
   * @return in words; "none" if all could
   */
  public String damage() {
    return Text.of(Native.checked(Native.logDamage(handle)));
  }

  /** The events from where the log stands. Each is a {@link #next()}. */
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

  /** Closes it. Closing twice is nothing. */
  @Override
  public void close() {
    closed = true;
    Native.logClose(handle);
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
    return "log " + path + (closed ? ", closed" : "");
  }
}
