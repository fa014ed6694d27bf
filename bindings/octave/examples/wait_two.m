% Waits for two channels.
names = {'nothing', 'the scan', 'the pose'};
domain = saltus.domain('mem://');
scan = saltus.subscribe(domain, 'scan');
pose = saltus.subscribe(domain, 'pose');

poses = saltus.publisher(domain, 'pose');
saltus.publish(poses, 'here');
disp(names{1 + saltus.wait_any({scan, pose}, 10)});

scans = saltus.publisher(domain, 'scan');
saltus.publish(scans, 'a wall');
disp(names{1 + saltus.wait_any({scan}, 10)});

saltus.close(poses);
saltus.close(scans);
saltus.close(scan);
saltus.close(pose);
saltus.close(domain);
