package lcm.lcm;

import java.io.DataInput;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads a message. */
public final class LCMDataInputStream implements DataInput {
  private final byte[] buf;
  private final int start;
  private final int end;
  private final ByteBuffer in;

  /**
   * Reads an array.
   *
   * @param buf the array
   */
  public LCMDataInputStream(byte[] buf) {
    this(buf, 0, buf.length);
  }

  /**
   * Reads a part of an array.
   *
   * @param buf the array
   * @param offset where the part begins
   * @param length how many bytes it has
   * @throws IndexOutOfBoundsException if the array has no such part
   */
  public LCMDataInputStream(byte[] buf, int offset, int length) {
    this.in = ByteBuffer.wrap(buf, offset, length);
    this.buf = buf;
    this.start = offset;
    this.end = offset + length;
  }

  private void need(int bytes) throws EOFException {
    if (in.remaining() < bytes) {
      String words = " bytes are needed, but only " + in.remaining() + " are left";
      throw new EOFException("LCMDataInputStream: " + bytes + words);
    }
  }

  /**
   * How many bytes are left.
   *
   * @return their number
   */
  public int available() {
    return in.remaining();
  }

  /** Does nothing. */
  public void close() {}

  /** Goes back to the first byte. */
  public void reset() {
    in.position(start);
  }

  @Override
  public boolean readBoolean() throws IOException {
    return readByte() != 0;
  }

  @Override
  public byte readByte() throws IOException {
    need(1);
    return in.get();
  }

  @Override
  public int readUnsignedByte() throws IOException {
    return readByte() & 0xff;
  }

  @Override
  public char readChar() throws IOException {
    need(2);
    return in.getChar();
  }

  @Override
  public short readShort() throws IOException {
    need(2);
    return in.getShort();
  }

  @Override
  public int readUnsignedShort() throws IOException {
    return readShort() & 0xffff;
  }

  @Override
  public int readInt() throws IOException {
    need(4);
    return in.getInt();
  }

  @Override
  public long readLong() throws IOException {
    need(8);
    return in.getLong();
  }

  @Override
  public float readFloat() throws IOException {
    return Float.intBitsToFloat(readInt());
  }

  @Override
  public double readDouble() throws IOException {
    return Double.longBitsToDouble(readLong());
  }

  @Override
  public void readFully(byte[] b) throws IOException {
    readFully(b, 0, b.length);
  }

  @Override
  public void readFully(byte[] b, int off, int len) throws IOException {
    need(len);
    in.get(b, off, len);
  }

  /**
   * Reads bytes as characters of Latin-1.
   *
   * @param c filled
   * @throws IOException if there are not that many
   */
  public void readFullyBytesAsChars(char[] c) throws IOException {
    need(c.length);
    for (int i = 0; i < c.length; i++) {
      c[i] = (char) (in.get() & 0xff);
    }
  }

  @Override
  public String readLine() throws IOException {
    // Java's own, which is deprecated for what it does to characters beyond Latin-1.
    StringBuilder line = new StringBuilder();
    boolean ended = false;
    boolean any = in.hasRemaining();
    while (!ended && in.hasRemaining()) {
      char c = (char) (in.get() & 0xff);
      ended = c == '\n' || c == '\r';
      if (c == '\r' && in.hasRemaining() && in.get(in.position()) == '\n') {
        in.get();
      }
      if (!ended) {
        line.append(c);
      }
    }
    return any ? line.toString() : null;
  }

  /**
   * Reads a string that a zero byte ends, in Latin-1.
   *
   * @return the string
   * @throws IOException if the message ends before a zero byte
   */
  public String readStringZ() throws IOException {
    int at = in.position();
    int stop = at;
    while (stop < end && buf[stop] != 0) {
      stop++;
    }
    if (stop == end) {
      throw new EOFException("LCMDataInputStream: a string without a zero byte at its end");
    }
    in.position(stop + 1);
    return new String(buf, at, stop - at, StandardCharsets.ISO_8859_1);
  }

  @Override
  public String readUTF() throws IOException {
    return DataInputStream.readUTF(this);
  }

  @Override
  public int skipBytes(int n) {
    int skipped = Math.max(0, Math.min(n, in.remaining()));
    in.position(in.position() + skipped);
    return skipped;
  }

  /**
   * The array. It may have other bytes before and after the message.
   *
   * @return not a copy
   */
  public byte[] getBuffer() {
    return buf;
  }

  /**
   * Where in the array the next byte is read.
   *
   * @return its index
   */
  public int getBufferOffset() {
    return in.position();
  }
}
