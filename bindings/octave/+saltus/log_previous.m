function event = log_previous(log)
  % saltus.log_previous  Reads the previous event and moves one step back; [] at the beginning. See saltus.log_next.
  event = saltus.private_event('previous', log);
end
