function message = private_wait(how, subscriber, timeout)
  % For saltus.receive and saltus.current: waits in slices. Ctrl-C interrupts it between slices.
  saltus.private_timeout(timeout);
  slice = 0.1;
  message = [];
  clock = tic();
  left = timeout;
  while true
    try
      got = javaMethod(how, 'org.saltus.Octave', subscriber, double(max(0, min(slice, left))));
    catch caught
      saltus.private_error(caught);
    end
    if ~isempty(got)
      break
    end
    left = timeout - toc(clock);
    if left <= 0
      return
    end
  end
  numbers = int64(javaMethod('numbers', 'org.saltus.Octave', got));
  data = int8(javaMethod('data', got));
  message = struct('data', typecast(data(:), 'uint8').', 'channel', char(javaMethod('channel', got)), ...
    'published_ns', numbers(1), 'arrived_ns', numbers(2), 'logged_us', numbers(3), 'sender', numbers(4), ...
    'sequence', numbers(5), 'missed', numbers(6), 'dropped', numbers(7), 'value', []);
  value = javaMethod('value', 'org.saltus.Octave', got);
  if ~isempty(value)
    type = char(javaMethod('type', 'org.saltus.Octave', value));
    message.value = feval([type, '_from_java'], value);
  end
end
