package lcm.lcm;

import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Collects a message in an array that grows. */
public final class LCMDataOutputStream implements DataOutput {
  private ByteBuffer out;

  /** Begins with an array of 512 bytes. */
  public LCMDataOutputStream() {
    this(512);
  }

  /**
   * Begins with a new array.
   *
   * @param size its length
   */
  public LCMDataOutputStream(int size) {
    this(new byte[size]);
  }

  /**
   * Begins with an array, which is written from its first byte on.
   *
   * @param buf the array
   */
  public LCMDataOutputStream(byte[] buf) {
    out = ByteBuffer.wrap(buf);
  }

  private ByteBuffer room(int bytes) {
    if (out.remaining() < bytes) {
      grow(bytes);
    }
    return out;
  }

  private void grow(int bytes) {
    int at = out.position();
    int least = Math.addExact(at, bytes);
    int size = Math.max(least, (int) Math.min(2L * out.capacity(), Integer.MAX_VALUE - 8));
    out = ByteBuffer.wrap(Arrays.copyOf(out.array(), size));
    out.position(at);
  }

  /** Begins again, in the same array. */
  public void reset() {
    out.clear();
  }

  @Override
  public void write(byte[] b) {
    room(b.length).put(b);
  }

  @Override
  public void write(byte[] b, int off, int len) {
    room(len).put(b, off, len);
  }

  @Override
  public void write(int b) {
    room(1).put((byte) b);
  }

  /**
   * Writes the low byte of each character.
   *
   * @param c the characters
   */
  public void writeCharsAsBytes(char[] c) {
    room(c.length);
    for (char one : c) {
      out.put((byte) one);
    }
  }

  @Override
  public void writeBoolean(boolean v) {
    write(v ? 1 : 0);
  }

  @Override
  public void writeByte(int v) {
    write(v);
  }

  @Override
  public void writeBytes(String s) {
    writeCharsAsBytes(s.toCharArray());
  }

  @Override
  public void writeChar(int v) {
    room(2).putChar((char) v);
  }

  @Override
  public void writeChars(String s) {
    for (int i = 0; i < s.length(); i++) {
      writeChar(s.charAt(i));
    }
  }

  /**
   * Writes the low byte of each character, and a zero byte.
   *
   * @param s the string
   */
  public void writeStringZ(String s) {
    writeBytes(s);
    write(0);
  }

  @Override
  public void writeDouble(double v) {
    room(8).putLong(Double.doubleToLongBits(v));
  }

  @Override
  public void writeFloat(float v) {
    room(4).putInt(Float.floatToIntBits(v));
  }

  @Override
  public void writeInt(int v) {
    room(4).putInt(v);
  }

  @Override
  public void writeLong(long v) {
    room(8).putLong(v);
  }

  @Override
  public void writeShort(int v) {
    room(2).putShort((short) v);
  }

  @Override
  public void writeUTF(String s) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      new DataOutputStream(bytes).writeUTF(s);
      write(bytes.toByteArray());
    } catch (IOException tooLong) {
      throw new UncheckedIOException(tooLong);
    }
  }

  /**
   * What was written.
   *
   * @return a copy
   */
  public byte[] toByteArray() {
    return Arrays.copyOf(out.array(), out.position());
  }

  /**
   * The array, whose first {@link #size} bytes were written.
   *
   * @return not a copy; the next write may continue in another array
   */
  public byte[] getBuffer() {
    return out.array();
  }

  /**
   * How many bytes were written.
   *
   * @return their number
   */
  public int size() {
    return out.position();
  }
}
