package lcm.lcm;

/** A thread that receives messages until {@link #end} is called. Like LCM's, it is a daemon thread. */
abstract class Reader extends Thread {
  volatile boolean ends;

  Reader(String url) {
    super("LCM " + url);
    setDaemon(true);
  }

  /** Receives until `ends`. */
  abstract void receive() throws Exception;

  @Override
  public void run() {
    try {
      receive();
    } catch (Exception e) {
      if (!ends) {
        System.err.println("LCM: " + getName() + " has ended: " + e.getMessage());
      }
    }
  }

  /** Ends it. A subscriber may do that in the thread itself, which then does not wait. */
  void end() {
    ends = true;
    if (this != currentThread()) {
      interrupt();
    }
    boolean interrupted = false;
    while (this != currentThread() && isAlive()) {
      try {
        join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      currentThread().interrupt();
    }
  }
}
