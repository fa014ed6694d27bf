function names = channels(thing)
  % saltus.channels  The names of the channels of a domain or a log, as a cell array.
  list = saltus.private_call('channels', 'org.saltus.Octave', thing);
  names = cell(1, javaMethod('size', list));
  for k = 1:numel(names)
    names{k} = char(javaMethod('get', list, int32(k - 1)));
  end
end
