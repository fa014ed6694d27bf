function log = log_open(path)
  % saltus.log_open  Opens an LCM or MCAP log, to read its events in order of time.
  %
  %   log = saltus.log_open('robot.mcap');
  %   event = saltus.log_next(log);
  %
  % Close it with saltus.close(log).
  log = saltus.private_call('open', 'org.saltus.Octave', path);
end
