function log_flush(log)
  % saltus.log_flush  Writes all appended messages to the file, so that other programs can read them while the log is open.
  saltus.private_call('flush', log);
end
