function event = log_next(log)
  % saltus.log_next  Reads the next event of a log and moves one step forward; [] at the end.
  %
  % event.data is a row of uint8, and event.channel is its channel. log_time_ns and publish_time_ns are ns since 1970 (int64;
  % intmin('int64') if the format does not store it). sequence is a number (-1 if the format does not store it).
  event = saltus.private_event('next', log);
end
