function close(thing)
  % saltus.close  Closes a domain, publisher, subscriber or log. Closing twice is nothing.
  saltus.private_call('close', thing);
end
