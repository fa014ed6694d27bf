function event = log_previous(log)
  % saltus.log_previous  The event before, and a step back; [] at the beginning. See saltus.log_next.
  event = saltus.private_event('previous', log);
end
