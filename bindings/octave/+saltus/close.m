function close(thing)
  % saltus.close  Closes a domain, publisher, subscriber or log. Closing twice has no effect.
  saltus.private_call('close', thing);
end
