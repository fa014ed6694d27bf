function domain = domain(url)
  % saltus.domain  Opens a domain: the channels of one URL.
  %
  %   domain = saltus.domain('shm://')
  %   domain = saltus.domain()           the URL in the environment variable SALTUS_DOMAIN, else shm://
  %
  % Close it with saltus.close(domain).
  if nargin < 1
    url = '';
  end
  domain = saltus.private_call('open', 'org.saltus.Domain', url);
end
