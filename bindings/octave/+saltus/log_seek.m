function log_seek(log, position)
  % saltus.log_seek  Moves to an event: 0 is the first; a position beyond the last is the end.
  saltus.private_call('seek', 'org.saltus.Octave', log, saltus.private_number(position, 'a position'));
end
