function event = private_event(how, log)
  % For saltus.log_next and saltus.log_previous: converts an event to a struct; [] if there is none.
  got = saltus.private_call(how, log);
  event = [];
  if isempty(got)
    return
  end
  numbers = int64(javaMethod('numbers', 'org.saltus.Octave', got));
  data = int8(javaMethod('data', got));
  event = struct('data', typecast(data(:), 'uint8').', 'channel', char(javaMethod('channel', got)), ...
    'log_time_ns', numbers(1), 'publish_time_ns', numbers(2), 'sequence', numbers(3));
end
