function message = receive(subscriber, timeout)
  % saltus.receive  Receives the newest message if it is new, or the next one, as subscribed; [] on timeout.
  %
  %   message = saltus.receive(subscriber)           waits without a timeout
  %   message = saltus.receive(subscriber, 0.5)      waits half a second; 0 does not wait
  %
  % message.data is a row of uint8, native2unicode(message.data, 'UTF-8') its text. message.channel is the channel;
  % published and arrived are ns of saltus.now(), -1 if nobody tells; logged is us since 1970, intmin('int64')
  % if it comes from no log; sender and sequence, -1 if unknown; missed, -1 if nobody knows; dropped. message.value
  % is what it says, where it was subscribed with a type.
  if nargin < 2
    timeout = Inf;
  end
  message = saltus.private_wait('receive', subscriber, timeout);
end
