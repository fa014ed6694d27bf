function log = log_create(path, format)
  % saltus.log_create  Creates a log: '.mcap' is MCAP; '.lcmlog', '.log' or no extension is LCM. An existing file is
  % an error, and is not changed.
  %
  %   log = saltus.log_create('robot.mcap');
  %   log = saltus.log_create('robot.bin', 'mcap');            or 'lcm', whatever the extension
  %   saltus.log_write(log, 'imu', 'tilt 0.02', time_ns);
  %   saltus.close(log);
  if nargin < 2
    format = '';
  end
  log = saltus.private_call('create', 'org.saltus.Octave', path, format);
end
