function number = private_number(number, what)
  % For the functions of this package: converts a time or a position to int64.
  if ~isnumeric(number) || ~isscalar(number) || ~isreal(number) || isnan(number)
    error('saltus:Invalid', '%s is a number', what);
  end
  number = int64(number);
end
