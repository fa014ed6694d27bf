% Receives the newest message, as a controller does. Variables: url, count.
if ~exist('url', 'var'), url = ''; end  % empty: SALTUS_DOMAIN, or else shm://
if ~exist('count', 'var'), count = 100; end

domain = saltus.domain(url);
subscriber = saltus.subscribe(domain, 'imu');
for k = 1:count
  message = saltus.receive(subscriber, 30);
  if isempty(message)
    error('nobody publishes');
  end
  age = double(saltus.now_ns() - message.published_ns) / 1e3;
  fprintf('%s, %.0f us old\n', native2unicode(message.data, 'UTF-8'), age);
end
saltus.close(subscriber);
saltus.close(domain);
