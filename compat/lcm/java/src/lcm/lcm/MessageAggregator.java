package lcm.lcm;

import java.util.ArrayDeque;
import java.util.Deque;

/** A subscriber that queues messages for threads that ask for them. If it is full, the oldest are dropped. */
public class MessageAggregator implements LCMSubscriber {
  /** A message. */
  public class Message {
    /** Its bytes. */
    public final byte[] data;
    /** Its channel. */
    public final String channel;

    /**
     * Makes one.
     *
     * @param channel its channel
     * @param data its bytes
     */
    public Message(String channel, byte[] data) {
      this.channel = channel;
      this.data = data;
    }
  }

  private final Deque<Message> messages = new ArrayDeque<>();
  private long size;
  private long maxSize = 100 << 20;
  private int maxMessages = Integer.MAX_VALUE;

  /** Makes an aggregator for 100 MiB. */
  public MessageAggregator() {}

  @Override
  public synchronized void messageReceived(LCM lcm, String channel, LCMDataInputStream ins) {
    byte[] data = new byte[ins.available()];
    try {
      ins.readFully(data);
    } catch (java.io.IOException impossible) { // there are that many
      throw new java.io.UncheckedIOException(impossible);
    }
    messages.add(new Message(channel, data));
    size += data.length;
    while (!messages.isEmpty() && (size > maxSize || messages.size() > maxMessages)) {
      size -= messages.remove().data.length;
    }
    notify();
  }

  /**
   * Sets how many bytes may be queued.
   *
   * @param maxBufferSize the limit, which the next message is checked against
   */
  public synchronized void setMaxBufferSize(long maxBufferSize) {
    maxSize = maxBufferSize;
  }

  /**
   * How many bytes may be queued.
   *
   * @return the limit
   */
  public synchronized long getMaxBufferSize() {
    return maxSize;
  }

  /**
   * Sets how many messages may be queued.
   *
   * @param maxMessages the limit, which the next message is checked against
   */
  public synchronized void setMaxMessages(int maxMessages) {
    this.maxMessages = maxMessages;
  }

  /**
   * How many messages may be queued.
   *
   * @return the limit
   */
  public synchronized int getMaxMessages() {
    return maxMessages;
  }

  /**
   * Waits for the next message.
   *
   * @param timeout_ms how long, in ms; negative: without a limit; 0: not at all
   * @return the message; null if there was none, or the thread was interrupted
   */
  public synchronized Message getNextMessage(long timeout_ms) {
    long start = System.nanoTime();
    try {
      while (messages.isEmpty() && timeout_ms != 0) {
        long left = timeout_ms - (System.nanoTime() - start) / 1_000_000;
        if (timeout_ms > 0 && left <= 0) {
          break;
        }
        wait(timeout_ms < 0 ? 0 : left);
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
      return null;
    }
    Message next = messages.poll();
    size -= next == null ? 0 : next.data.length;
    return next;
  }

  /**
   * Waits for the next message, without a limit.
   *
   * @return the message; null if the thread was interrupted
   */
  public synchronized Message getNextMessage() {
    return getNextMessage(-1);
  }

  /**
   * How many messages are queued now.
   *
   * @return their number
   */
  public synchronized int numMessagesAvailable() {
    return messages.size();
  }
}
