function message = receive(subscriber, timeout)
  % saltus.receive  Receives the newest message if it is new, or the next one, as subscribed; [] on timeout.
  %
  %   message = saltus.receive(subscriber)           waits without a timeout
  %   message = saltus.receive(subscriber, 0.5)      waits half a second; 0 does not wait
  %
  % A message has these fields:
  %   data                 a row of uint8; native2unicode(message.data, 'UTF-8') is its text
  %   channel              the channel's name
  %   published_ns, arrived_ns   ns of saltus.now_ns(); -1 if unknown
  %   logged_us            us since 1970; intmin('int64') if the message is not from a log
  %   sender, sequence     -1 if unknown
  %   missed, dropped      messages since the last one received; missed is -1 if unknown
  %   value                the decoded message, if the subscriber has a type; else []
  if nargin < 2
    timeout = Inf;
  end
  message = saltus.private_wait('receive', subscriber, timeout);
end
