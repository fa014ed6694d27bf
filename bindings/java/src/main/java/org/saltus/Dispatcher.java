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
 * Calls a callback for each message of many subscribers, in the thread that calls {@link #run()} or
 * {@link #handle(Duration)}. It does not close the subscribers.
 */
public final class Dispatcher {
  private final Map<Receiver<?>, Consumer<?>> callbacks = new LinkedHashMap<>();
  private boolean stopped;
  /** Exceptions to throw, one per call. */
  private final Deque<RuntimeException> failed = new ArrayDeque<>();

  /** Makes a dispatcher without subscriptions. */
  public Dispatcher() {}

  /**
   * Adds a subscription: calls {@code callback} for each message from now on. You may call this
   * inside a callback.
   *
   * @param <M> the class of messages
   * @param subscriber the subscriber that receives the messages
   * @param callback the callback; {@code handle} and {@code run} throw its exceptions
   */
  public <M extends Message> void on(Receiver<M> subscriber, Consumer<? super M> callback) {
    callbacks.put(Objects.requireNonNull(subscriber), Objects.requireNonNull(callback));
  }

  /**
   * Ends a subscription. You may call this inside a callback.
   *
   * @param subscriber the subscriber
   * @return false if it has no subscription
   */
  public boolean unsubscribe(Receiver<?> subscriber) {
    return callbacks.remove(subscriber) != null;
  }

  /**
   * Waits until there are messages, and calls back for at most one message of each subscription.
   * The end of a log ends its subscription.
   *
   * <p>After all callbacks have run, it throws the first exception. Each of the next calls first
   * throws one of the other exceptions, until none is left. To continue, call again.
   *
   * @param timeout how long to wait
   * @return the number of messages handled; 0 on timeout, or if no subscription is left
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
    // `on` stored this callback with this subscriber.
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
   * Handles messages until {@link #stop()} is called, no subscription is left, or one is canceled.
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

  /** Makes {@link #run()} return after this round of callbacks. Call it inside a callback. */
  public void stop() {
    stopped = true;
  }
}
