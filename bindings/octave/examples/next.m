% Receives every message, as a logger does. Variables: url, count.
if ~exist('url', 'var'), url = ''; end  % empty: SALTUS_DOMAIN, or else shm://
if ~exist('count', 'var'), count = 100; end

domain = saltus.domain(url);
subscriber = saltus.subscribe(domain, 'imu', 'depth', 1000, 'start', 'oldest');
for k = 1:count
  message = saltus.receive(subscriber, 30);
  if isempty(message)
    error('nobody publishes');
  end
  text = native2unicode(message.data, 'UTF-8');
  fprintf('%d %s missed: %d\n', message.sequence, text, message.missed);
end
saltus.close(subscriber);
saltus.close(domain);
