"""What Redis runs in one step: its own clock, so that machines need not agree on the time.

Shapes: KEYS are a client's account, a hash of each bucket's level and when that was so, and its leases, a sorted set
by the moment at which each ends; ARGV starts with the allowance: requests, concurrent, upstream seconds.
Units: seconds; one minute fills a bucket.
"""

from __future__ import annotations

_BUCKETS = """
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local function level(name, capacity)
  local saved = redis.call('HMGET', KEYS[1], name, name .. '_at')
  if not saved[1] then return capacity end
  return math.min(capacity, saved[1] + math.max(0, now - saved[2]) * capacity / 60)
end
local function wait(name, capacity, tokens)
  return math.max(0, (math.min(tokens, capacity) - level(name, capacity)) * 60 / capacity)
end
local function keep(key, seconds)
  local ms = math.ceil(seconds * 1000) + 1000
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
end
local function take(name, capacity, tokens)
  local left = level(name, capacity) - tokens
  redis.call('HSET', KEYS[1], name, string.format('%.6f', left), name .. '_at', string.format('%.6f', now))
  keep(KEYS[1], (capacity - left) * 60 / capacity)
end
local requests, concurrent, upstream = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
"""

ENTER = (
    _BUCKETS
    + """
local asked, lease, longest, least = tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local missing = 0
if concurrent > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
  if redis.call('ZCARD', KEYS[2]) >= concurrent then return {1, '0'} end
end
if upstream > 0 then
  missing = wait('upstream', upstream, least)
  if missing > 0.000001 then return {2, string.format('%.6f', missing)} end
end
if requests > 0 and asked > 0 then
  missing = wait('requests', requests, asked)
  if missing > 0.000001 then return {3, string.format('%.6f', missing)} end
  take('requests', requests, asked)
end
if concurrent > 0 then
  redis.call('ZADD', KEYS[2], string.format('%.6f', now + longest), lease)
  keep(KEYS[2], longest)
end
return {0, '0'}
"""
)
"""Return which limit was reached, as `Limit`, and the seconds to wait; where none was, the query is counted.

ARGV: how many requests it is, its lease, how long it runs at most, the least seconds of the endpoint to start with.
"""

LEAVE = (
    _BUCKETS
    + """
redis.call('ZREM', KEYS[2], ARGV[4])
local seconds = tonumber(ARGV[5])
if upstream > 0 and seconds > 0 then take('upstream', upstream, seconds) end
return 1
"""
)
"""Count the query of a lease as ended, and its seconds. ARGV: the lease, the seconds."""
