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
   * Returns a view of a message in place, without a copy: the newest if it is new, or the next one,
   * as the {@link Options} say. In shared memory the message counts as received after a successful
   * {@link View#validate()}; without it, the next call returns the same message. On other
   * transports this call receives it.
   *
   * @param timeout how long to wait; {@link Duration#ZERO} does not wait
   * @return the view; null on timeout
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
