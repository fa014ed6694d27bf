% Publishes 100 messages per second. Variables: url, count.
if ~exist('url', 'var'), url = ''; end  % empty: SALTUS_DOMAIN, or else shm://
if ~exist('count', 'var'), count = 1000; end

domain = saltus.domain(url);
publisher = saltus.publisher(domain, 'imu');
for k = 1:count
  saltus.publish(publisher, sprintf('tilt %.2f', k / 100));
  pause(0.01);
end
saltus.close(publisher);
saltus.close(domain);
