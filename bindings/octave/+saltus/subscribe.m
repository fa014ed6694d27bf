function subscriber = subscribe(domain, channels, varargin)
  % saltus.subscribe  Opens a subscriber of one channel of a domain, or of many.
  %
  %   subscriber = saltus.subscribe(domain, 'imu')                    the newest message each time
  %   subscriber = saltus.subscribe(domain, 'imu', 'depth', 1000)     all messages; at most 1000 wait
  %   subscriber = saltus.subscribe(domain, 'arm/.*', 'pattern', true)
  %   subscriber = saltus.subscribe(domain, 'pose', 'type', 'robot.pose_t')
  %   ... 'start', 'newest' | 'now' | 'oldest'                        where to start in existing channels
  %
  % Close it with saltus.close(subscriber).
  options = struct('depth', 0, 'start', 'newest', 'pattern', false, 'type', '');
  for k = 1:2:numel(varargin)
    option = varargin{k};
    if ~ischar(option)
      error('saltus:Invalid', 'the name of an option is text, not a %s', class(option));
    elseif ~isfield(options, option)
      error('saltus:Invalid', 'saltus.subscribe has no option ''%s''', option);
    elseif k == numel(varargin)
      error('saltus:Invalid', 'the option ''%s'' has no value behind it', option);
    end
    options.(option) = varargin{k + 1};
  end
  example = [];
  if ~isempty(options.type)
    example = saltus.private_example(options.type);
  end
  pattern = isequal(options.pattern, true);
  if ~pattern && ~isequal(options.pattern, false)
    error('saltus:Invalid', 'the option ''pattern'' is true or false');
  end
  depth = double(saltus.private_number(options.depth, 'a depth'));
  subscriber = saltus.private_call('subscriber', 'org.saltus.Octave', domain, channels, ...
    pattern, depth, options.start, example);
end
