% Speaks for Octave: see README.md for the words. The paths of the package, of the jar and of the generated types are set.
1;

function main()
  % Octave's own fgetl waits for what comes after the line.
  bytes = javaObject('java.io.InputStreamReader', java_get('java.lang.System', 'in'));
  lines = javaObject('java.io.BufferedReader', bytes);
  while ischar(line = javaMethod('readLine', lines))
    words = ostrsplit(line, ' ');
    try
      said = feval(['do_', words{1}], words{2:end});
    catch caught
      number = saltus.code(caught);
      if number == 0
        rethrow(caught); % this program is wrong
      end
      said = sprintf('error %d %s %s', number, caught.identifier(8:end), told(caught.message));
    end
    puts([said, "\n"]);
    fflush(stdout());
  end
end

% What there is, by its name; and what is new.
function one = thing(name, made)
  persistent things = struct();
  if nargin > 1
    things.(name) = made;
  end
  one = things.(name);
end

function data = blob(word)
  digits = word(2:end);
  switch word(1)
    case 'x'
      data = uint8(sscanf(digits, '%2x')(:)).'; % not hex2dec, which has a number for no digits
    case 'p'
      many = sscanf(digits, '%d:%d');
      n = 0:(many(1) - 1);
      data = uint8(mod(n * 31 + floor(n / 512) + many(2), 256));
    case 'z'
      data = zeros(1, str2double(digits), 'uint8');
  end
end

function name = text(word)
  name = char(blob(word));
end

function words = told(name)
  words = digits_of(unicode2native(name, 'UTF-8'));
end

function word = digits_of(data)
  word = ['x', sprintf('%02x', data(1:end))];
  if isempty(data)
    word = 'x';
  end
end

function word = shown(data)
  word = digits_of(data(1:min(end, 64)));
  if numel(data) > 64
    crc = javaObject('java.util.zip.CRC32');
    javaMethod('update', crc, typecast(data, 'int8'), int32(0), int32(numel(data)));
    word = sprintf('c%d:%08x', numel(data), javaMethod('getValue', crc));
  end
end

function word = known(number)
  word = '-';
  if number >= 0
    word = sprintf('%d', number);
  end
end

function seconds = timeout(word)
  seconds = Inf;
  if ~strcmp(word, '-')
    seconds = str2double(word) / 1000;
  end
end

% A number of 64 bits, which no double has.
function number = whole(word)
  number = int64(0);
  for digit = word(word ~= '-') - '0'
    number = number * 10 + digit;
  end
  if word(1) == '-'
    number = -number;
  end
end

function said = do_domain(name, url)
  if strcmp(url, '-')
    thing(name, saltus.domain());
  else
    thing(name, saltus.domain(text(url)));
  end
  said = 'ok';
end

function said = do_publisher(name, domain, channel, type)
  if strcmp(type, '-')
    thing(name, saltus.publisher(thing(domain), text(channel)));
  else
    thing(name, saltus.publisher(thing(domain), text(channel), ['conformance.', type, '_t']));
  end
  said = 'ok';
end

function said = do_subscriber(name, domain, by, channel, depth, start, type)
  options = {'depth', str2double(depth), 'start', start, 'pattern', ~strcmp(by, 'name')};
  if ~strcmp(type, '-')
    options = [options, {'type', ['conformance.', type, '_t']}];
  end
  if strcmp(by, 'all')
    which = '.*';
  else
    which = text(channel);
  end
  thing(name, saltus.subscribe(thing(domain), which, options{:}));
  said = 'ok';
end

function said = do_publish(name, message)
  saltus.publish(thing(name), blob(message));
  said = 'ok';
end

% A message of the type, whose size encoding sets.
function bytes = reading(utime, value, place, ~, samples)
  r = conformance.reading_t_new();
  r.utime = whole(utime);
  r.value = hex2num(value);
  r.place = text(place);
  r.samples = int16(sscanf(samples, '%d,')); % none of '-'
  bytes = conformance.reading_t_encode(r);
end

function said = do_publish_reading(name, varargin)
  saltus.publish(thing(name), reading(varargin{:}));
  said = 'ok';
end

function said = do_publish_other(name, utime, value)
  o = conformance.other_t_new();
  o.utime = whole(utime);
  o.value = hex2num(value);
  saltus.publish(thing(name), conformance.other_t_encode(o));
  said = 'ok';
end

function said = message(m)
  said = 'nothing';
  if isempty(m)
    return
  end
  said = sprintf('message %s %s %d %s', told(m.channel), known(m.missed), m.dropped, known(m.sequence));
  r = m.value;
  if isempty(r)
    said = [said, ' ', shown(m.data)];
  else
    samples = '-';
    if ~isempty(r.samples)
      samples = sprintf('%d,', r.samples)(1:end - 1);
    end
    fields = sprintf('%d %s %s %d %s', r.utime, num2hex(r.value), told(r.place), r.count, samples);
    said = [said, ' ', fields];
  end
end

function said = do_receive(name, within)
  said = message(saltus.receive(thing(name), timeout(within)));
end

function said = do_current(name, within)
  said = message(saltus.current(thing(name), timeout(within)));
end

function said = do_wait(within, varargin)
  all = cellfun(@(name) thing(name), varargin, 'UniformOutput', false);
  said = 'nothing';
  which = saltus.wait_any(all, timeout(within));
  if which > 0
    said = sprintf('ok %d', which - 1);
  end
end

function said = do_names(name)
  said = ['ok', sprintf(' %s', cellfun(@told, saltus.channels(thing(name)), 'UniformOutput', false){:})];
end

% A step of the loop lasts longer than the gaps that the cases want.
function said = do_stream(name, many, first, ~)
  publisher = thing(name);
  first = str2double(first);
  for n = first:(first + str2double(many) - 1)
    saltus.publish(publisher, typecast(uint64(n), 'uint8')(8:-1:1));
  end
  said = 'ok';
end

function said = do_count(name, least, within)
  subscriber = thing(name);
  least = str2double(least);
  within = timeout(within);
  last = 0;
  received = 0;
  missed = 0;
  dropped = 0;
  while last < least
    m = saltus.receive(subscriber, within);
    if isempty(m)
      break
    end
    last = double(typecast(m.data(8:-1:1), 'uint64'));
    received = received + 1;
    dropped = dropped + double(m.dropped);
    if m.missed < 0
      missed = NaN;
    end
    missed = missed + double(m.missed);
  end
  said = sprintf('ok %d %s %d %d', received, known(missed), dropped, last);
end

function said = do_close(~, name)
  saltus.close(thing(name));
  said = 'ok';
end

function said = do_log_create(name, path, format)
  if strcmp(format, '-')
    thing(name, saltus.log_create(text(path)));
  else
    thing(name, saltus.log_create(text(path), format));
  end
  said = 'ok';
end

function said = do_log_write(name, channel, data, time)
  saltus.log_write(thing(name), text(channel), blob(data), whole(time));
  said = 'ok';
end

function said = do_log_write_reading(name, channel, time, varargin)
  saltus.log_write(thing(name), text(channel), reading(varargin{:}), whole(time), 'conformance.reading_t');
  said = 'ok';
end

function said = do_log_flush(name)
  saltus.log_flush(thing(name));
  said = 'ok';
end

function said = do_log_finish(name)
  saltus.close(thing(name));
  said = 'ok';
end

function said = do_log_open(name, path)
  thing(name, saltus.log_open(text(path)));
  said = 'ok';
end

function said = do_log_size(name)
  said = sprintf('ok %d', getfield(saltus.log_info(thing(name)), 'events'));
end

function said = event(e)
  said = 'nothing';
  if ~isempty(e)
    said = sprintf('event %s %d %s', told(e.channel), e.log_time_ns, shown(e.data));
  end
end

function said = do_log_next(name)
  said = event(saltus.log_next(thing(name)));
end

function said = do_log_previous(name)
  said = event(saltus.log_previous(thing(name)));
end

function said = do_log_seek(name, position)
  saltus.log_seek(thing(name), whole(position));
  said = 'ok';
end

function said = do_log_seek_time(name, time)
  said = sprintf('ok %d', saltus.log_seek_time(thing(name), whole(time)));
end

main();
