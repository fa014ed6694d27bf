function private_error(caught)
  % For the functions of this package: turns an exception of Saltus into an error with an identifier and its message.
  of_saltus = 'org\.saltus\.SaltusException\$(\w+): (.*)';
  of_java = 'java\.[\w.]*(IllegalState|IllegalArgument|PatternSyntax|InvalidPath|IndexOutOfBounds)Exception: (.*)';
  found = regexp(caught.message, of_saltus, 'tokens', 'once');
  if isempty(found)
    found = regexp(caught.message, of_java, 'tokens', 'once');
    % For a missing class, Octave has text instead of an object. If it is a class of Saltus, the jar is missing.
    of_kind = ['NoSuchMethodException|ArrayStoreException|NullPointerException|ClassCastException|', ...
      'ClassNotFoundException: (?!org.saltus)|OBJ must be a Java object'];
    if isempty(found) && isempty(regexp(caught.message, of_kind, 'once'))
      rethrow(caught);
    elseif isempty(found)
      found{2} = ['this function does not accept an argument of that kind; its help lists what it accepts: ', caught.message];
    end
    found{1} = 'Invalid';
  end
  % MATLAB appends Java's stack to the message.
  error(['saltus:', found{1}], '%s', regexprep(found{2}, '\s*\n\s+at .*$', ''));
end
