function varargout = private_call(varargin)
  % For the functions of this package: calls a Java method. An exception of Saltus becomes an error of Octave.
  try
    [varargout{1:nargout}] = javaMethod(varargin{:});
  catch caught
    saltus.private_error(caught);
  end
end
