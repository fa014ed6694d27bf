function domain = domain(url)
  % saltus.domain  A domain: channels that are reached by one URL.
  %
  %   domain = saltus.domain('shm://')
  %   domain = saltus.domain()           the one of the environment variable SALTUS_DOMAIN
  %
  % To be closed by saltus.close(domain).
  if nargin < 1
    url = '';
  end
  domain = saltus.private_call('open', 'org.saltus.Domain', url);
end
