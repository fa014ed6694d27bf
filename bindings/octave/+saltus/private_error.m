function private_error(caught)
  % For the functions of this package: an exception of Saltus as an error that has an identifier and its sentence.
  of_saltus = 'org\.saltus\.SaltusException\$(\w+): (.*)';
  of_java = 'java\.[\w.]*(IllegalState|IllegalArgument|PatternSyntax|InvalidPath|IndexOutOfBounds)Exception: (.*)';
  found = regexp(caught.message, of_saltus, 'tokens', 'once');
  if isempty(found)
    found = regexp(caught.message, of_java, 'tokens', 'once');
    % A class that is not there is text in the place of an object; but one of Saltus' own is the jar that is missing.
    of_kind = ['NoSuchMethodException|ArrayStoreException|NullPointerException|ClassCastException|', ...
      'ClassNotFoundException: (?!org.saltus)|OBJ must be a Java object'];
    if isempty(found) && isempty(regexp(caught.message, of_kind, 'once'))
      rethrow(caught);
    elseif isempty(found)
      found{2} = ['an argument of a kind that is not taken here; the help of the function tells which is: ', caught.message];
    end
    found{1} = 'Invalid';
  end
  % MATLAB has Java's stack behind the sentence.
  error(['saltus:', found{1}], '%s', regexprep(found{2}, '\s*\n\s+at .*$', ''));
end
