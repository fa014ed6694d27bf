package org.saltus;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Closes a view when no reference to its buffer, or to a buffer made from it, is left. */
final class Lent extends PhantomReference<Object> {
  private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();

  /** Keeps the references reachable: the queue does not get a collected one. */
  private static final Set<Lent> ALL = ConcurrentHashMap.newKeySet();

  private final long view;

  private Lent(Object owner, long view) {
    super(owner, GONE);
    this.view = view;
  }

  /** Closes the view when {@code owner} is gone: the buffer over its memory, or the view object. */
  static void until(Object owner, long view) {
    ALL.add(new Lent(owner, view));
  }

  /** Closes views whose owners are gone. */
  static void returned() {
    for (Reference<?> gone = GONE.poll(); gone != null; gone = GONE.poll()) {
      ALL.remove(gone);
      Native.viewClose(((Lent) gone).view);
    }
  }
}
