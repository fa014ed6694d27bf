% Writes a log and reads it. Variable: file.
if ~exist('file', 'var'), file = 'robot.mcap'; end

begin = int64(1700000000) * 1000000000;
log = saltus.log_create(file);
for k = 0:99
  pose = robot.pose_t_new();
  pose.position(1) = k / 100;
  saltus.log_write(log, 'POSE', robot.pose_t_encode(pose), begin + k * 10000000, 'robot.pose_t');
end
saltus.close(log);

log = saltus.log_open(file);
saltus.log_seek_time(log, begin + 500000000);
event = saltus.log_next(log);
pose = robot.pose_t_decode(event.data);
info = saltus.log_info(log);
fprintf('%d events; after half a second x is %g\n', info.events, pose.position(1));
saltus.close(log);
