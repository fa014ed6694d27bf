function ns = now_ns()
  % saltus.now_ns  The current time of the clock of timestamps, ns since boot, as int64.
  ns = int64(javaMethod('now', 'org.saltus.Octave'));
end
