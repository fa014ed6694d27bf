package lcm.logging;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import lcm.lcm.LCMDataOutputStream;
import lcm.lcm.LCMEncodable;

/** A log in LCM's format, read and written at one position, which begins at its first byte. */
public class Log {
  /** An event. */
  public static class Event {
    /** When it was received, in us since 1970. */
    public long utime;

    /** Its number. */
    public long eventNumber;

    /** The message. */
    public byte[] data;

    /** The channel it was received on. */
    public String channel;

    /** Makes an event without contents. */
    public Event() {}
  }

  private static final int SYNC = 0xeda1da01;

  /** Bytes of an event between its first word and the name of its channel. */
  private static final int HEADER = 24;

  /** The limit of the length of a name. */
  private static final int MOST_NAME = 256;

  /** Bytes that are read or written together. */
  private static final int BLOCK = 1 << 16;

  private final RandomAccessFile file;
  private final String path;

  /** What was read from `base` on. */
  private final ByteBuffer read = ByteBuffer.allocate(BLOCK);

  /** What is to be written at `base`. Either this or `read` is empty. */
  private LCMDataOutputStream written = new LCMDataOutputStream(BLOCK);

  private long base;
  private long numbers;
  private boolean closed;

  /**
   * Opens a log.
   *
   * @param path its file
   * @param mode "r", or "rw", which makes the file if it does not exist
   * @throws IOException if it cannot be opened
   * @throws IllegalArgumentException if the mode is another one
   */
  public Log(String path, String mode) throws IOException {
    this.path = path;
    file = new RandomAccessFile(path, mode);
    read.limit(0);
  }

  /**
   * The file.
   *
   * @return its path
   */
  public String getPath() {
    return path;
  }

  private long position() {
    return base + read.position() + written.size();
  }

  /** Writes what is to be written, and begins at a position with nothing read. */
  private void move(long to) throws IOException {
    if (written.size() > 0) {
      file.seek(base);
      file.write(written.getBuffer(), 0, written.size());
      written = written.size() > 2 * BLOCK ? new LCMDataOutputStream(BLOCK) : written;
      written.reset();
    }
    read.position(0);
    read.limit(0);
    base = to;
  }

  /** Writes to the file what was written to the log. */
  private void writeAll() throws IOException {
    if (closed) {
      throw new IOException(path + ": this log is closed");
    }
    if (written.size() > 0) {
      move(position());
    }
  }

  /**
   * Writes all events to the file now.
   *
   * @throws IOException if that fails
   */
  public synchronized void flush() throws IOException {
    writeAll();
  }

  /** Reads the next block of the file. */
  private void more() throws IOException {
    move(position());
    file.seek(base);
    int got = file.read(read.array());
    if (got <= 0) {
      throw new EOFException(path + ": the log has ended");
    }
    read.limit(got);
  }

  private byte one() throws IOException {
    if (!read.hasRemaining()) {
      more();
    }
    return read.get();
  }

  private byte[] bytes(int length) throws IOException {
    if (length > file.length() - position()) { // before there is memory for it
      move(file.length());
      throw new EOFException(path + ": the log ends inside an event");
    }
    byte[] bytes = new byte[length];
    int at = Math.min(length, read.remaining());
    read.get(bytes, 0, at);
    if (at < length) {
      move(position());
      file.seek(base);
      file.readFully(bytes, at, length - at);
      base += length - at;
    }
    return bytes;
  }

  /**
   * Reads the next event. What is not one is skipped.
   *
   * @return the event
   * @throws EOFException if there is none
   * @throws IOException if the file cannot be read
   */
  public synchronized Event readNext() throws IOException {
    writeAll();
    while (true) {
      int word = 0;
      while (word != SYNC) {
        word = word << 8 | one() & 0xff;
      }
      ByteBuffer header = ByteBuffer.wrap(bytes(HEADER));
      Event event = new Event();
      event.eventNumber = header.getLong();
      event.utime = header.getLong();
      int name = header.getInt();
      int length = header.getInt();
      if (name > 0 && name < MOST_NAME && length > 0) {
        event.channel = new String(bytes(name), StandardCharsets.UTF_8);
        event.data = bytes(length);
        return event;
      }
      String words = "a channel of " + name + " bytes, and a message of " + length;
      System.err.println("LCM: an event of " + path + " is skipped: it has " + words);
    }
  }

  /**
   * Where the next event is read or written.
   *
   * @return 0 at the first byte, 1 at the end
   * @throws IOException if the size of the file is unknown
   */
  public synchronized double getPositionFraction() throws IOException {
    writeAll();
    return position() / (double) file.length();
  }

  /**
   * Goes to a position; the next event after it is read.
   *
   * @param frac 0: the first byte; 1: the end
   * @throws IOException if `frac` is negative, or the file cannot be used
   */
  public synchronized void seekPositionFraction(double frac) throws IOException {
    writeAll();
    long to = (long) (file.length() * frac);
    if (to < 0) {
      throw new IOException(path + ": a position before the first byte: " + frac);
    }
    move(to);
  }

  /**
   * Writes an event.
   *
   * @param e the event, with its number
   * @throws IOException if that fails
   */
  public synchronized void write(Event e) throws IOException {
    byte[] name = e.channel.getBytes(StandardCharsets.UTF_8);
    int length = e.data.length;
    if (read.limit() > 0) {
      move(position());
    }
    if (written.size() > 0 && written.size() > BLOCK - length) {
      writeAll();
    }
    if (closed) {
      throw new IOException(path + ": this log is closed");
    }
    written.writeInt(SYNC);
    written.writeLong(e.eventNumber);
    written.writeLong(e.utime);
    written.writeInt(name.length);
    written.writeInt(length);
    written.write(name);
    written.write(e.data);
  }

  /**
   * Writes a message of a generated class. Its number is one more than that of the last one.
   *
   * @param utime when it was received, in us since 1970
   * @param channel the channel it was received on
   * @param msg the message
   * @throws IOException if that fails
   */
  public synchronized void write(long utime, String channel, LCMEncodable msg) throws IOException {
    LCMDataOutputStream encoded = new LCMDataOutputStream();
    msg.encode(encoded);
    Event event = new Event();
    event.utime = utime;
    event.channel = channel;
    event.data = encoded.toByteArray();
    event.eventNumber = numbers++;
    write(event);
  }

  /**
   * Closes the log. Closing it twice has no effect.
   *
   * @throws IOException if what was written cannot be completed
   */
  public synchronized void close() throws IOException {
    if (!closed) {
      try {
        writeAll();
      } finally {
        closed = true;
        file.close();
      }
    }
  }
}
