-- Asks for the paths in a file, a line each, from one of them on, and prints what wrk.ts takes as a result.

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
    '{"requestsPerSecond":%f,"p50":%f,"p99":%f,"bytesPerReply":%f,"requests":%d,"errors":%d}',
    summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1000,
    latency:percentile(99) / 1000,
    summary.bytes / summary.requests,
    summary.requests,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
