package org.saltus;

/** The formats of log files. */
public enum LogFormat {
  /** LCM's event log. */
  LCM,
  /** The MCAP format. */
  MCAP
}
