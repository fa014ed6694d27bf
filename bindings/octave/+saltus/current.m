function message = current(subscriber, timeout)
  % saltus.current  The newest message, received before or not; [] after the timeout.
  %
  %   message = saltus.current(subscriber)           does not wait
  %   message = saltus.current(subscriber, 0.5)      waits for one at most half a second
  %
  % See saltus.receive for what a message has.
  if nargin < 2
    timeout = 0;
  end
  message = saltus.private_wait('current', subscriber, timeout);
end
