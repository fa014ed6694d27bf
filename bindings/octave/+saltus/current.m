function message = current(subscriber, timeout)
  % saltus.current  The newest message, whether or not it was received before; [] on timeout.
  %
  %   message = saltus.current(subscriber)           does not wait
  %   message = saltus.current(subscriber, 0.5)      waits at most half a second if there is none
  %
  % See saltus.receive for the fields of a message.
  if nargin < 2
    timeout = 0;
  end
  message = saltus.private_wait('current', subscriber, timeout);
end
