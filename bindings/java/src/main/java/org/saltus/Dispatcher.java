package org.saltus;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Calls back for messages of many subscribers, in the thread that calls {@link #run()} or {@link
 * #handle(Duration)}. It closes none of them.
 */
public final class Dispatcher {
  private final Map<Receiver<?>, Consumer<?>> callbacks = new LinkedHashMap<>();
  private boolean stopped;
  /** To be thrown: one a call. */
  private final Deque<RuntimeException> failed = new ArrayDeque<>();

  /** Makes one without subscriptions. */
  public Dispatcher() {}

  /**
   * Calls back for each message from now on, also from inside a callback.
   *
   * @param <M> what messages are
   * @param subscriber whose messages
   * @param callback what to call; what it throws comes out of {@code handle} and {@code run}
   */
  public <M extends Message> void on(Receiver<M> subscriber, Consumer<? super M> callback) {
    callbacks.put(Objects.requireNonNull(subscriber), Objects.requireNonNull(callback));
  }

  /**
   * Ends a subscription, also from inside a callback.
   *
   * @param subscriber whose messages
   * @return false if there is none
   */
  public boolean unsubscribe(Receiver<?> subscriber) {
    return callbacks.remove(subscriber) != null;
  }

  /**
   * Waits until there are messages, and calls back for at most one of each subscription. The first
   * exception is thrown after all had their turn; call again to go on: the next calls throw the
   * others of that turn, one each, before they do anything. A log's end ends its subscription.
   *
   * @param timeout how long
   * @return for how many messages; 0 when the time is up, or no subscription is left
   */
  public int handle(Duration timeout) {
    return handle(Time.nanos(timeout));
  }

  private int handle(long timeout) {
    throwFirst();
    long start = System.nanoTime();
    while (!callbacks.isEmpty()) {
      long left = timeout;
      if (timeout != Time.FOREVER) {
        left = Math.max(0, timeout - (System.nanoTime() - start));
      }
      Receiver<?> ready = Domain.waitAny(left, new ArrayList<>(callbacks.keySet()));
      int handled = turn();
      if (handled > 0 || ready == null) {
        return handled;
      }
    }
    return 0;
  }

  private int turn() {
    int handled = 0;
    List<Receiver<?>> subscribers = new ArrayList<>(callbacks.keySet());
    for (Receiver<?> subscriber : subscribers) {
      try {
        handled += one(subscriber) ? 1 : 0;
      } catch (SaltusException.Ended end) {
        callbacks.remove(subscriber);
      } catch (RuntimeException e) {
        failed.add(e);
      }
    }
    throwFirst();
    return handled;
  }

  private void throwFirst() {
    if (!failed.isEmpty()) {
      throw failed.remove();
    }
  }

  private <M extends Message> boolean one(Receiver<M> subscriber) {
    // `on` put it there with this subscriber.
    @SuppressWarnings("unchecked")
    Consumer<? super M> callback = (Consumer<? super M>) callbacks.get(subscriber);
    M message = callback == null ? null : subscriber.poll();
    if (message == null) {
      return false;
    }
    callback.accept(message);
    return true;
  }

  /**
   * Handles messages until {@link #stop()}, or no subscription is left, or one is canceled.
   *
   * @throws SaltusException as {@link #handle(Duration)}
   */
  public void run() {
    stopped = false;
    try {
      while (!callbacks.isEmpty() && !stopped) {
        handle(Time.FOREVER);
      }
    } catch (SaltusException.Canceled end) {
      return;
    }
  }

  /** Lets {@link #run()} return after this turn. For callbacks. */
  public void stop() {
    stopped = true;
  }
}
