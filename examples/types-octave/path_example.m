% Makes a path, encodes it and decodes it. Arguments: the directories of the generated functions and of the compiled classes.
args = argv();
addpath(args{1});
javaaddpath(args{2});

path = robot.path_t_new();
path.utime = int64(9007199254740992) + 1;
first = robot.waypoint_t_new();
first.name = 'door';
first.position = [1.5; -2];
second = robot.waypoint_t_new();
second.name = 'dock';
path.points = [first; second];
path.costs = single([1, 2, 3; 4, 5, 6]);

bytes = robot.path_t_encode(path);
printf('%d bytes of class %s\n', numel(bytes), class(bytes));

read = robot.path_t_decode(bytes);
printf('%d points, the first is %s at %g, %g\n', read.n, read.points(1).name, read.points(1).position);
printf('utime %d, costs %s of %s\n', read.utime, mat2str(read.costs), class(read.costs));

try
  robot.path_t_decode(bytes(1:30));
catch error
  printf('%s\n', error.message);
end
