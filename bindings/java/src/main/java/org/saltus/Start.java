package org.saltus;

/** Where a subscriber starts in channels that are there already. */
public enum Start {
  /** The newest message present is the first. */
  NEWEST,
  /** With what is published from now on. */
  NOW,
  /** At the oldest message kept. */
  OLDEST
}
