package org.saltus;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Writes a log. Events go out together, after a second at most or when there are many; what is out
 * survives a kill.
 *
 * <p>One thread at a time may use it; a second one gets {@link IllegalStateException}. All methods
 * may block in the file system.
 */
public final class LogWriter implements AutoCloseable {
  private static final int BY_NAME = 0;

  private final long handle;
  private final String path;
  private final Map<Class<?>, Codec<?>> described = new HashMap<>();
  private volatile boolean closed;

  private LogWriter(long handle, String path) {
    this.handle = handle;
    this.path = path;
  }

  /**
   * Begins a log, in the format of its name: {@code .mcap} is MCAP; {@code .lcmlog}, {@code .lcm},
   * {@code .log} or none is LCM's. A file that is there is left alone.
   *
   * @param path the file
   * @return the log, to be closed
   * @throws SaltusException.Exists if the file is there
   * @throws SaltusException.Invalid if its name tells no format
   * @throws SaltusException if the system refuses
   */
  public static LogWriter create(Path path) {
    return create(path.toString());
  }

  /**
   * Begins a log, as {@link #create(Path)}.
   *
   * @param path the file, relative to the current directory or absolute
   * @return the log, to be closed
   * @throws SaltusException as {@link #create(Path)}
   */
  public static LogWriter create(String path) {
    return create(path, BY_NAME);
  }

  /**
   * Begins a log. A file that is there is left alone.
   *
   * @param path the file
   * @param format the format, whatever its name
   * @return the log, to be closed
   * @throws SaltusException.Exists if the file is there
   * @throws SaltusException if the system refuses
   */
  public static LogWriter create(Path path, LogFormat format) {
    return create(path.toString(), format);
  }

  /**
   * Begins a log, as {@link #create(Path, LogFormat)}.
   *
   * @param path the file, relative to the current directory or absolute
   * @param format the format, whatever its name
   * @return the log, to be closed
   * @throws SaltusException as {@link #create(Path, LogFormat)}
   */
  public static LogWriter create(String path, LogFormat format) {
    return create(path, 1 + format.ordinal());
  }

  private static LogWriter create(String path, int format) {
    return new LogWriter(Native.checked(Native.writerCreate(Text.bytes(path), format)), path);
  }

  /**
   * Appends an event.
   *
   * @param channel its channel
   * @param message all its bytes
   * @param logTime ns since 1970
   * @throws SaltusException.Unwritable if the format cannot hold it: the log is as it was
   * @throws SaltusException if the system refuses
   */
  public void write(String channel, byte[] message, long logTime) {
    write(channel, message, logTime, Info.NO_TIME, Info.UNKNOWN);
  }

  /**
   * Appends an event.
   *
   * @param channel its channel
   * @param message all its bytes
   * @param logTime ns since 1970
   * @param publishTime ns since 1970, or {@link Info#NO_TIME}
   * @param sequence the number that its publisher gave it, or {@link Info#UNKNOWN}
   * @throws SaltusException as {@link #write(String, byte[], long)}
   */
  public void write(
      String channel, byte[] message, long logTime, long publishTime, long sequence) {
    byte[] name = Text.bytes(channel);
    Objects.requireNonNull(message, "message");
    Native.checked(Native.writerWrite(handle, name, message, logTime, publishTime, sequence));
  }

  /**
   * Appends a message of a type, which MCAP has together with what it is.
   *
   * @param channel its channel
   * @param message an object of a class made by {@code saltus gen --lang java}
   * @param logTime ns since 1970
   * @throws SaltusException.EncodeFailed if it cannot be encoded
   * @throws IllegalArgumentException if it is of no such class
   * @throws SaltusException as {@link #write(String, byte[], long)}
   */
  public void write(String channel, Object message, long logTime) {
    write(channel, encoded(message), logTime);
  }

  private synchronized <T> byte[] encoded(T message) {
    @SuppressWarnings("unchecked")
    Class<T> type = (Class<T>) message.getClass();
    @SuppressWarnings("unchecked")
    Codec<T> known = (Codec<T>) described.get(type);
    if (known == null) {
      known = new Codec<>(type);
      Native.checked(Native.writerDescribe(handle, known.name, known.schema));
      described.put(type, known);
    }
    return known.encode(message);
  }

  /**
   * Gives everything to the file.
   *
   * @throws SaltusException if the system refuses
   */
  public void flush() {
    Native.checked(Native.writerFlush(handle));
  }

  /**
   * How many events were written.
   *
   * @return events
   */
  public long events() {
    return Native.checked(Native.writerEvents(handle));
  }

  /**
   * Ends the log and closes the file. Closing twice is nothing.
   *
   * @throws SaltusException if the system refuses: what was flushed can be read
   * @throws IllegalStateException if another thread writes at this moment; it stays open
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      Native.checked(Native.writerClose(handle));
      closed = true;
    }
  }

  /**
   * Whether it is closed.
   *
   * @return whether {@link #close()} has done it
   */
  public boolean isClosed() {
    return closed;
  }

  /** What it is, for logs and debuggers. */
  @Override
  public String toString() {
    return "log " + path + " being written" + (closed ? ", closed" : "");
  }
}
