function private_timeout(timeout)
  % For the functions that wait: raises an error for a value that is not a time.
  if ~isnumeric(timeout) || ~isscalar(timeout) || ~(timeout >= 0)
    error('saltus:Invalid', 'a timeout is a number of seconds, 0 or more');
  end
end
