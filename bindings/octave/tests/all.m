% Everything of the package, over shared memory. Variables: url, dir.

% Bytes as they were: none, one, many; text; numbers of 64 bits.
domain = saltus.domain(url);
publisher = saltus.publisher(domain, 'x');
subscriber = saltus.subscribe(domain, 'x', 'depth', 10);
assert(isempty(saltus.receive(subscriber, 0)));
sent = {zeros(1, 0, 'uint8'), uint8(200), uint8(0:255), unicode2native('tilt 0.02', 'UTF-8')};
for k = 1:numel(sent)
  saltus.publish(publisher, sent{k});
end
saltus.publish(publisher, 'tilt 0.02');
sent{end + 1} = sent{end};
for k = 1:numel(sent)
  message = saltus.receive(subscriber, 30);
  assert(isa(message.data, 'uint8') && numel(message.data) == numel(sent{k}));
  assert(isempty(sent{k}) || isequal(message.data, sent{k}));
  assert(strcmp(message.channel, 'x') && message.missed == 0 && message.dropped == 0);
  assert(message.sequence == k && isa(message.published_ns, 'int64'));
  age = saltus.now_ns() - message.published_ns;
  assert(age >= 0 && age < int64(600e9));
  assert(message.logged_us == intmin('int64') && isempty(message.value));
end
message = saltus.current(subscriber);
assert(isequal(message.data, sent{end}));
started = tic();
assert(isempty(saltus.receive(subscriber, 0.3)) && toc(started) >= 0.3);
assert(isequal(saltus.channels(domain), {'x'}));

% Patterns, options that are none, what is closed.
pattern = saltus.subscribe(domain, '.*', 'pattern', true, 'start', 'oldest', 'depth', 10);
message = saltus.receive(pattern, 30);
assert(isempty(message.data));
saltus.close(pattern);
log = saltus.log_create([dir, '/misuse.mcap']);
failing = {
  @() saltus.subscribe(domain, 'x', 'deep', 1), 'deep', 'Invalid'
  @() saltus.subscribe(domain, 'x', 'depth'), 'no value', 'Invalid'
  @() saltus.subscribe(domain, 'x', {'depth'}, 1), 'not a cell', 'Invalid'
  @() saltus.subscribe(domain, 'x', 'depth', {}), 'a depth is a number', 'Invalid'
  @() saltus.subscribe(domain, 'x', 'depth', -1), 'depth of -1', 'Invalid'
  @() saltus.subscribe(domain, 'x', 'pattern', 'yes'), 'true or false', 'Invalid'
  @() saltus.subscribe(domain, '(', 'pattern', true), '(', 'Invalid'
  @() saltus.subscribe(domain, 'x', 'start', 'soon'), 'SOON', 'Invalid'
  @() saltus.subscribe(domain, 'x', 'type', 'robot.nowhere_t'), 'robot.nowhere_t', 'Invalid'
  @() saltus.subscribe(domain, 'x', 'type', 7), 'not a double', 'Invalid'
  @() saltus.subscribe(domain, []), 'kind', 'Invalid'
  @() saltus.subscribe([], 'x'), 'kind', 'Invalid'
  @() saltus.publisher(domain, ''), 'name', 'Invalid'
  @() saltus.publisher(domain, []), 'kind', 'Invalid'
  @() saltus.publisher(domain, 'x', 'java.lang.Object'), 'saltus gen', 'Invalid'
  @() saltus.publisher(domain, 'x', 'robot.nowhere_t'), 'saltus gen', 'Invalid'
  @() saltus.publisher(domain, 'x', {}), 'not a cell', 'Invalid'
  @() saltus.domain('nonsense'), 'not a domain URL', 'Invalid'
  @() saltus.domain('pigeon://'), 'pigeon', 'NoProvider'
  @() saltus.domain([]), 'kind', 'Invalid'
  @() saltus.domain(42), 'kind', 'Invalid'
  @() saltus.receive(pattern, 0), 'is closed', 'Invalid'
  @() saltus.receive(subscriber, -1), '0 or more', 'Invalid'
  @() saltus.receive(subscriber, NaN), '0 or more', 'Invalid'
  @() saltus.receive(subscriber, []), '0 or more', 'Invalid'
  @() saltus.receive(subscriber, {1}), '0 or more', 'Invalid'
  @() saltus.receive([], 0), 'kind', 'Invalid'
  @() saltus.current(42), 'kind', 'Invalid'
  @() saltus.close(42), 'kind', 'Invalid'
  @() saltus.close([]), 'kind', 'Invalid'
  @() saltus.close('x'), 'kind', 'Invalid'
  @() saltus.wait_any({42}, 0), 'kind', 'Invalid'
  @() saltus.wait_any({[]}, 0), 'kind', 'Invalid'
  @() saltus.wait_any({}, 0), 'no subscriber', 'Invalid'
  @() saltus.wait_any(subscriber, 0), 'cell array', 'Invalid'
  @() saltus.wait_any({subscriber}, 'soon'), '0 or more', 'Invalid'
  @() saltus.publish(publisher, {42}), 'not a cell', 'Invalid'
  @() saltus.publish(publisher, 256), '0 to 255', 'Invalid'
  @() saltus.publish(publisher, int8(-1)), '0 to 255', 'Invalid'
  @() saltus.publish(publisher, [1, 2.5]), '0 to 255', 'Invalid'
  @() saltus.publish(publisher, NaN), '0 to 255', 'Invalid'
  @() saltus.publish(publisher, 1i), '0 to 255', 'Invalid'
  @() saltus.publish(publisher, ['two '; 'rows']), 'one line', 'Invalid'
  @() saltus.publish([], 'x'), 'kind', 'Invalid'
  @() saltus.log_open([dir, '/nowhere']), 'nowhere', 'NotFound'
  @() saltus.log_open([]), 'kind', 'Invalid'
  @() saltus.log_create([dir, '/misuse.mcap']), 'misuse', 'Exists'
  @() saltus.log_create([dir, '/robot.text']), 'format', 'Invalid'
  @() saltus.log_create([dir, '/robot.bin'], 'zip'), 'ZIP', 'Invalid'
  @() saltus.log_write(log, 'x', {42}, 0), 'not a cell', 'Invalid'
  @() saltus.log_write(log, 'x', -2.5, 0), '0 to 255', 'Invalid'
  @() saltus.log_write(log, 'x', 'text', []), 'a time is a number', 'Invalid'
  @() saltus.log_write(log, 'x', 'text', 'now'), 'a time is a number', 'Invalid'
  @() saltus.log_write(log, 'x', 'text', 0, 'robot.nowhere_t'), 'robot.nowhere_t', 'Invalid'
  @() saltus.log_write(log, [], 'text', 0), 'kind', 'Invalid'
  @() saltus.log_write([], 'x', 'text', 0), 'kind', 'Invalid'
  @() saltus.log_seek(log, {}), 'a position is a number', 'Invalid'
  @() saltus.log_seek_time(log, NaN), 'a time is a number', 'Invalid'
  @() saltus.log_next(log), 'kind', 'Invalid'
};
codes = struct('Invalid', 12, 'NotFound', 1, 'Exists', 2, 'NoProvider', 108);
for k = 1:rows(failing)
  [call, words, name] = failing{k, :};
  caught = struct('message', 'no error', 'identifier', '');
  try
    call();
  catch caught
  end
  assert(~isempty(strfind(caught.message, words)), '%s: %s', func2str(call), caught.message);
  assert(strcmp(caught.identifier, ['saltus:', name]), '%s: %s', func2str(call), caught.identifier);
  assert(saltus.code(caught) == codes.(name));
end
% What was refused went nowhere.
saltus.close(log);
log = saltus.log_open([dir, '/misuse.mcap']);
assert(isempty(saltus.log_next(log)) && isempty(saltus.receive(subscriber, 0)));
saltus.close(log);
try
  error('another:NotFound', 'not of Saltus');
catch caught
  assert(saltus.code(caught) == 0);
end

% Types: others are told, and values come as structs.
typed = saltus.subscribe(domain, 'pose', 'type', 'robot.pose_t', 'depth', 10);
poses = saltus.publisher(domain, 'pose', 'robot.pose_t');
pose = robot.pose_t_new();
pose.utime = int64(9007199254740992) + 1;
pose.names = {'a'; 'b'};
saltus.publish(poses, robot.pose_t_encode(pose));
message = saltus.receive(typed, 30);
assert(message.value.utime == pose.utime && isequal(message.value.names, pose.names));
saltus.publish(poses, robot.goal_t_encode(robot.goal_t_new()));
caught = [];
try
  saltus.receive(typed, 30);
catch caught
end
assert(strcmp(caught.identifier, 'saltus:WrongType') && saltus.code(caught) == 103, caught.message);

% Logs.
for ending = {'mcap', 'lcmlog'}
  file = [dir, '/robot.', ending{1}];
  log = saltus.log_create(file);
  time = int64(1700000000123456000);
  saltus.log_write(log, 'a', uint8(7), time);
  saltus.log_write(log, 'b', 'text', time + 1000);
  saltus.log_flush(log);
  half = saltus.log_open(file);
  assert(getfield(saltus.log_info(half), 'events') == 2);
  saltus.close(half);
  saltus.close(log);
  log = saltus.log_open(file);
  info = saltus.log_info(log);
  assert(info.events == 2 && info.first_ns == time && info.last_ns == time + 1000);
  assert(isequal(sort(info.channels(:)), {'a'; 'b'}) && all(info.counts(:) == 1));
  assert(strcmp(info.damage, 'none'));
  event = saltus.log_next(log);
  assert(strcmp(event.channel, 'a') && isequal(event.data, uint8(7)) && event.log_time_ns == time);
  assert(saltus.log_seek_time(log, time + 1) == 1);
  event = saltus.log_next(log);
  assert(strcmp(event.channel, 'b'));
  assert(isempty(saltus.log_next(log)));
  event = saltus.log_previous(log);
  assert(strcmp(event.channel, 'b'));
  saltus.log_seek(log, 0);
  assert(isempty(saltus.log_previous(log)));
  saltus.close(log);
end

for thing = {publisher, subscriber, typed, poses, domain}
  saltus.close(thing{1});
end
disp('all is as it should be');
