function example = private_example(type)
  % For the functions of this package: makes a message of a generated type from the type's name.
  if ~ischar(type)
    error('saltus:Invalid', 'a type''s name is text, such as ''robot.pose_t'', not a %s', class(type));
  end
  try
    example = javaObject(type);
  catch caught
    told = 'there is no class %s: saltus gen --lang octave makes it, javac compiles it, javaaddpath tells where it is: %s';
    error('saltus:Invalid', told, type, caught.message);
  end
end
