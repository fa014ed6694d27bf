function log_write(log, channel, message, time_ns, type)
  % saltus.log_write  Appends a message to a log; time_ns is in ns since 1970 (int64).
  %
  %   saltus.log_write(log, 'imu', 'tilt 0.02', time_ns)
  %   saltus.log_write(log, 'pose', robot.pose_t_encode(pose), time_ns, 'robot.pose_t')
  %
  % With the name of a generated type, an MCAP log also stores the type of the messages.
  data = saltus.private_bytes(message);
  time_ns = saltus.private_number(time_ns, 'a time');
  example = [];
  if nargin > 4
    example = saltus.private_example(type);
  end
  saltus.private_call('write', 'org.saltus.Octave', log, channel, data, time_ns, example);
end
