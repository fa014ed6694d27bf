function position = log_seek_time(log, time_ns)
  % saltus.log_seek_time  Moves to the first event at or after time_ns, ns since 1970, or to the end. It returns the
  % new position: 0 is the first event.
  %
  %   saltus.log_seek_time(log, int64(1700000000) * 1000000000)
  time_ns = saltus.private_number(time_ns, 'a time');
  position = int64(saltus.private_call('seekTime', 'org.saltus.Octave', log, time_ns));
end
