function varargout = private_call(varargin)
  % For the functions of this package: calls a method of Java. What Saltus throws is an error of Octave's.
  try
    [varargout{1:nargout}] = javaMethod(varargin{:});
  catch caught
    saltus.private_error(caught);
  end
end
