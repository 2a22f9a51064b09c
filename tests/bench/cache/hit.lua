-- One or many queries by GET, each asked again and again: after the first round every answer is a hit.
local paths, at = {}, 0

function init(arguments)
  for n = 1, tonumber(arguments[1] or "1") do
    paths[n] = wrk.format("GET", "/sparql?query=SELECT%20%3Fperson%20%3Fname%20%7B%20%3Fperson%20%3Chttp%3A%2F%2Fe.org%2F"
      .. n .. "%3E%20%3Fname%20%7D%20LIMIT%20100", { Accept = "application/sparql-results+json" })
  end
end

function request()
  at = at % #paths + 1
  return paths[at]
end

function done(summary, latency, requests)
  local failed = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d %d\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), failed.status,
    failed.connect + failed.read + failed.write + failed.timeout))
end
