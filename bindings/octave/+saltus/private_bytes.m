function data = private_bytes(message)
  % For saltus.publish and saltus.log_write: converts the bytes of a message to Java's.
  if ischar(message) && size(message, 1) <= 1
    message = unicode2native(message, 'UTF-8');
  elseif ~isnumeric(message) && ~islogical(message)
    error('saltus:Invalid', 'a message is uint8 numbers or one line of text, not a %s', class(message));
  elseif ~isa(message, 'uint8') && (~isreal(message) || ~isequal(double(uint8(message)), double(message)))
    error('saltus:Invalid', 'a message''s numbers are bytes: whole, and 0 to 255');
  end
  data = typecast(uint8(message(:)), 'int8');
end
