% Decodes messages and encodes them again. Arguments: functions, classes, a file of lines `type hex`.
args = argv();
addpath(args{1});
javaaddpath(args{2});

count = 0;
file = fopen(args{3});
while ischar(line = fgetl(file))
  words = strsplit(line, ' ');
  name = words{1};
  if !any(name == '.')
    name = ['lcmtypes.', name];
  end
  bytes = uint8(sscanf(words{2}, '%2x')).';
  s = feval([name, '_decode'], bytes);
  again = feval([name, '_encode'], s);
  if isequal(again, bytes)
    count += 1;
  elseif !any(strcmp(name, {'cover.behind_t', 'cover.nothing_t'}))
    % Those two have no other array to tell the width of rows by where there are none.
    error('%s came back as another message', name);
  end
  if count > 0 && mod(count, 25) == 1
    fresh = feval([name, '_new']);
    feval([name, '_encode'], fresh);
  end
end
fclose(file);
assert(count > 300);
fresh = cover.consts_t_new();
assert(class(fresh.x), 'int32');
c = cover.consts_t_constants();
assert(c.BIG == intmax('int64') && c.TINY == int8(-5) && c.PLAIN == 16);
assert(class(c.SMALL), 'int16');
printf('%d messages came back\n', count);
