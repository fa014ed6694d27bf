% Publishes and receives typed messages. saltus gen --lang octave generated +robot and the Java classes.
domain = saltus.domain('mem://');
subscriber = saltus.subscribe(domain, 'POSE', 'type', 'robot.pose_t');
publisher = saltus.publisher(domain, 'POSE', 'robot.pose_t');

pose = robot.pose_t_new();
pose.utime = int64(1);
pose.position = [1; 2; 0.5];
pose.names = {'base'};
saltus.publish(publisher, robot.pose_t_encode(pose));

message = saltus.receive(subscriber, 10);
fprintf('%d %g %s\n', message.value.utime, message.value.position(3), message.value.names{1});

saltus.close(publisher);
saltus.close(subscriber);
saltus.close(domain);
