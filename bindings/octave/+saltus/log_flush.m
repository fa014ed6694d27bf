function log_flush(log)
  % saltus.log_flush  Writes what was appended to the file, where others can read it while the log goes on.
  saltus.private_call('flush', log);
end
