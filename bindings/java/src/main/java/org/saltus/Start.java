package org.saltus;

/** The position where a subscriber starts in channels that already exist. */
public enum Start {
  /** At the newest message present. */
  NEWEST,
  /** At the first message published from now on. */
  NOW,
  /** At the oldest message kept. */
  OLDEST
}
