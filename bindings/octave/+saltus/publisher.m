function publisher = publisher(domain, channel, type)
  % saltus.publisher  Opens a publisher in one channel of a domain.
  %
  %   publisher = saltus.publisher(domain, 'imu')
  %   publisher = saltus.publisher(domain, 'pose', 'robot.pose_t')
  %
  % With the name of a generated type, tools can decode the messages. Close it with saltus.close(publisher).
  if nargin < 3
    publisher = saltus.private_call('publisher', domain, channel);
  else
    example = saltus.private_example(type);
    publisher = saltus.private_call('publisher', 'org.saltus.Octave', domain, channel, example);
  end
end
