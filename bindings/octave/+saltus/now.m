function ns = now()
  % saltus.now  The clock of stamps, ns since boot, as int64.
  ns = int64(javaMethod('now', 'org.saltus.Octave'));
end
