-- Forms that hold queries: the first argument is "distinct" or "repeated".
-- Distinct ones repeat only after so many; the proxy remembers fewer texts than that.
local QUERIES = 10000
local next_query, bodies = 0, {}

local function form(n)
  return "query=PREFIX%20wdt%3A%20%3Chttp%3A%2F%2Fwww.wikidata.org%2Fprop%2Fdirect%2F%3E%20"
    .. "PREFIX%20wd%3A%20%3Chttp%3A%2F%2Fwww.wikidata.org%2Fentity%2F%3E%20"
    .. "PREFIX%20rdfs%3A%20%3Chttp%3A%2F%2Fwww.w3.org%2F2000%2F01%2Frdf-schema%23%3E%20"
    .. "SELECT%20%3Fperson%20%3Fname%20WHERE%20%7B%20%3Fperson%20wdt%3AP31%20wd%3AQ5%20%3B%20wdt%3AP27%20wd%3AQ" .. n
    .. "%20%3B%20rdfs%3Alabel%20%3Fname%20.%20OPTIONAL%20%7B%20%3Fperson%20wdt%3AP569%20%3Fborn%20%7D%20"
    .. "FILTER%28LANG%28%3Fname%29%20%3D%20%22en%22%20%26%26%20%3Fborn%20%3E%201900%29%20%7D%20LIMIT%20100"
end

function init(arguments)
  local count = arguments[1] == "repeated" and 1 or QUERIES
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
  wrk.headers["Accept"] = "application/sparql-results+json"
  for n = 1, count do
    wrk.body = form(n)
    bodies[n] = wrk.format(nil, "/sparql")
  end
  next_query = tonumber(arguments[2] or "0")
end

function request()
  next_query = next_query + 1
  return bodies[(next_query - 1) % #bodies + 1]
end

function done(summary, latency, requests)
  local failed = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d %d\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), failed.status,
    failed.connect + failed.read + failed.write + failed.timeout))
end
