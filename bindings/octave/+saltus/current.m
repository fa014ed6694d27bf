function message = current(subscriber, timeout)
  % saltus.current  The newest message, seen or not; [] if there is none until the time is up.
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
