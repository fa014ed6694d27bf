package org.saltus;

import java.nio.ByteBuffer;

/**
 * A message where it lies, without a copy. In shared memory its publisher may overwrite it at any
 * instant: compute from it what is needed, then {@link #validate()}. Only if that throws nothing
 * was it whole all the while.
 *
 * <pre>{@code
 * View view = subscriber.view(Duration.ofSeconds(1));
 * float nearest = nearest(view.data().asFloatBuffer());
 * view.validate();
 * }</pre>
 *
 * <p>The memory stays for as long as anybody has the buffer or a part of it, and then until the
 * next view. What came over a network is copied to Java's heap, where nobody overwrites it.
 */
public final class View {
  private final long subscriber;
  private final ByteBuffer data;
  private final long handle;
  private Info info;

  private View(long subscriber, Object place, long handle) {
    this.subscriber = subscriber;
    this.handle = handle;
    if (place instanceof ByteBuffer) {
      data = ((ByteBuffer) place).asReadOnlyBuffer();
      Lent.until(place, handle);
    } else {
      data = ByteBuffer.wrap((byte[]) place).asReadOnlyBuffer();
      Lent.until(this, handle);
    }
  }

  /** A view of the next message; null if there is none until then. */
  static View of(long subscriber, long slice) {
    Lent.returned();
    long[] handle = new long[1];
    Object place = Native.view(subscriber, slice, handle);
    return place == null ? null : new View(subscriber, place, handle[0]);
  }

  /**
   * Its bytes, which can only be read, big endian.
   *
   * @return the same buffer each time
   */
  public ByteBuffer data() {
    return data;
  }

  /**
   * Ends it, and counts the message as received if it was whole all the while.
   *
   * @return what is known about the message; the same each time
   * @throws SaltusException.Overrun if it was overwritten: forget what was computed, and look again
   * @throws SaltusException.Invalid if the subscriber was asked for something since
   * @throws IllegalStateException if the subscriber is closed, or in use by another thread
   */
  public synchronized Info validate() {
    if (info == null) {
      Info told = new Info();
      Native.checked(Native.viewValidate(subscriber, handle, told.numbers, told.name));
      info = told;
    }
    return info;
  }

  /** What it is, for logs and debuggers. Reads none of its bytes. */
  @Override
  public String toString() {
    return "view of " + data.capacity() + " bytes";
  }
}
