function info = log_info(log)
  % saltus.log_info  Describes a log: its number of events (events), the times of the first and the last (first_ns, last_ns:
  % ns since 1970), its channels with their counts, and its unreadable parts (damage: 'none' if all could be read).
  numbers = int64(saltus.private_call('numbers', 'org.saltus.Octave', log));
  info = struct('events', numbers(1), 'first_ns', numbers(2), 'last_ns', numbers(3));
  info.channels = saltus.channels(log);
  info.counts = int64(javaMethod('counts', 'org.saltus.Octave', log));
  info.damage = char(javaMethod('damage', log));
end
