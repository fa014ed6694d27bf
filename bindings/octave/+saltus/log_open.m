function log = log_open(path)
  % saltus.log_open  Opens a log, LCM's or MCAP, whose events are there in the order of time.
  %
  %   log = saltus.log_open('robot.mcap');
  %   event = saltus.log_next(log);
  %
  % To be closed by saltus.close(log).
  log = saltus.private_call('open', 'org.saltus.Octave', path);
end
