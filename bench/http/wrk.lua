-- Requests the paths in a file, one on each line, starting at a given one, and prints a LoadResult as JSON.

local requests = {}
local last

function init(arguments)
  for path in io.lines(arguments[1]) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
  last = tonumber(arguments[2])
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"requestsPerSecond":%f,"p50":%f,"p99":%f,"max":%f,"bytesPerReply":%f,"errors":%d}',
    summary.requests,
    summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1000,
    latency:percentile(99) / 1000,
    latency.max / 1000,
    summary.bytes / math.max(1, summary.requests),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
