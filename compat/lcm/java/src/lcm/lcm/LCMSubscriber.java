package lcm.lcm;

/** Receives messages. */
public interface LCMSubscriber {
  /**
   * Called for each message, in the thread that receives: further messages wait until it returns.
   *
   * @param lcm the object that the subscription was made with
   * @param channel the channel of the message
   * @param ins the message; other subscribers read the same array: do not change it
   */
  void messageReceived(LCM lcm, String channel, LCMDataInputStream ins);
}
