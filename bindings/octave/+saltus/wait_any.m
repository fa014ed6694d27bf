function which = wait_any(subscribers, timeout)
  % saltus.wait_any  Waits until one of several subscribers has a new message, and returns its index; 0 on timeout.
  %
  %   which = saltus.wait_any({scan, pose}, 0.5)
  %
  % Then call saltus.receive(subscribers{which}, 0). It returns [] only if the message was overwritten in the meantime.
  if nargin < 2
    timeout = Inf;
  end
  saltus.private_timeout(timeout);
  if ~iscell(subscribers)
    error('saltus:Invalid', 'subscribers come in a cell array: saltus.wait_any({scan, pose})');
  end
  list = javaObject('java.util.ArrayList');
  for k = 1:numel(subscribers)
    saltus.private_call('add', list, subscribers{k});
  end
  slice = 0.1;
  clock = tic();
  left = timeout;
  while true
    which = saltus.private_call('waitAny', 'org.saltus.Octave', list, double(max(0, min(slice, left))));
    left = timeout - toc(clock);
    if which > 0 || left <= 0
      return
    end
  end
end
