package org.saltus;

import java.time.Duration;

/** Receives messages as bytes. */
public final class Subscriber extends Receiver<Message> {
  Subscriber(long handle, String what) {
    super(handle, what);
  }

  @Override
  Message empty() {
    return new Message();
  }

  /**
   * Looks at a message where it lies, without a copy: the newest not seen, or the next, as it was
   * subscribed. In shared memory it is received once {@link View#validate()} says that it was
   * whole; without that, the next call gives it again. Elsewhere it is taken out by this call.
   *
   * @param timeout how long to wait; not at all with {@link Duration#ZERO}
   * @return the view; null when the time is up
   * @throws SaltusException as {@link #receive()}
   */
  public View view(Duration timeout) {
    long time = Time.nanos(timeout);
    long start = System.nanoTime();
    do {
      View view = View.of(handle, Time.slice(time, start));
      if (view != null) {
        return view;
      }
      Native.checkNothing();
    } while (!Time.isOver(time, start));
    return null;
  }
}
