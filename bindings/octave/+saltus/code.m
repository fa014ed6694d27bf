function number = code(caught)
  % saltus.code  The number of a Saltus error, the same in all languages; 0 for any other error.
  %
  %   try
  %     log = saltus.log_open('robot.mcap');
  %   catch caught
  %     if saltus.code(caught) == 1                  or: strcmp(caught.identifier, 'saltus:NotFound')
  %
  % docs/errors.md lists the numbers and the names.
  number = 0;
  if strncmp(caught.identifier, 'saltus:', 7)
    number = javaMethod('code', 'org.saltus.Octave', caught.identifier(8:end));
  end
end
