package org.saltus;

/** Formats of logs. */
public enum LogFormat {
  /** LCM's event log. */
  LCM,
  /** MCAP. */
  MCAP
}
