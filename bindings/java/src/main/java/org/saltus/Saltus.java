package org.saltus;

/** The clock of timestamps, and the version. */
public final class Saltus {
  private Saltus() {}

  /**
   * The current time of the clock of {@link Info#publishedNanos()} and {@link Info#arrivedNanos()}: time
   * since boot, suspend included.
   *
   * @return ns
   */
  public static long nowNanos() {
    return Native.now();
  }

  /**
   * The version of the native library.
   *
   * @return a version such as "0.1.0"
   */
  public static String version() {
    return Text.of(Native.version());
  }
}
