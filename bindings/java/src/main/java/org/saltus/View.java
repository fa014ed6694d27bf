package org.saltus;

import java.nio.ByteBuffer;

/**
 * A message in place, without a copy. In shared memory its publisher may overwrite it at any
 * moment. Compute your result from it, then call {@link #validate()}. The bytes were valid all the
 * time only if that throws nothing.
 *
 * <pre>{@code
 * View view = subscriber.view(Duration.ofSeconds(1));
 * float nearest = nearest(view.data().asFloatBuffer());
 * view.validate();
 * }</pre>
 *
 * <p>The memory stays while your program references the buffer or a part of it, and then until the
 * next view. A message from a network is a copy on Java's heap, which no publisher overwrites.
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

  /** A view of the next message; null if none arrives within the slice. */
  static View of(long subscriber, long slice) {
    Lent.returned();
    long[] handle = new long[1];
    Object place = Native.view(subscriber, slice, handle);
    return place == null ? null : new View(subscriber, place, handle[0]);
  }

  /**
   * The message's bytes: read-only, big endian.
   *
   * @return the same buffer each time
   */
  public ByteBuffer data() {
    return data;
  }

  /**
   * Ends the view and checks that the message was not overwritten. Only then it counts as received.
   *
   * @return the message's metadata; the same object each time
   * @throws SaltusException.Overrun if it was overwritten: discard your result and view again
   * @throws SaltusException.Invalid if you called another method of the subscriber since
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

  /** A description for logs and debuggers. It does not read the bytes. */
  @Override
  public String toString() {
    return "view of " + data.capacity() + " bytes";
  }
}
