function publish(publisher, message)
  % saltus.publish  Publishes a message: whole numbers from 0 to 255, or text, which it encodes as UTF-8.
  %
  %   saltus.publish(publisher, 'tilt 0.02')
  %   saltus.publish(publisher, robot.pose_t_encode(pose))
  data = saltus.private_bytes(message);
  try
    javaMethod('publish', 'org.saltus.Octave', publisher, data);
  catch caught
    saltus.private_error(caught);
  end
end
