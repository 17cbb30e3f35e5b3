/**
 * The script that compares the head and appends. It either does all or nothing: everything that may be refused is checked
 * before the first write, and a server refuses only the first write of a script for want of memory or of a disk.
 *
 * KEYS: head, log, wake, parts, and then the lists that hold large changes.
 * ARGV: 1 expected version (`EPOCH-SEQUENCE`, or empty if no head is expected), 2 expected digest, 3 `1` for a new log,
 * 4 format, 5 to 9 fields of the head: epoch, sequence, digest, image (its version), json, 10 the SHA-1 of the present
 * field json, if the caller has found it valid; then five for each change: id, digest before, digest after, JSON (empty if it is in a list), and for a list its number in KEYS, length and SHA-256
 * with spaces between.
 *
 * Returns `done`, or `lost` with the number of a list that has expired, or with the fields of the present head `refused` or
 * `unchecked`, if it is the expected one but was not found valid.
 * With `probe` as the only argument, it only checks the rights and the type of `parts`.
 */
export const appendScript = `
local head, log, wake, parts = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local part = string.sub(parts, 1, -2) .. ':'

-- Redis before 7.0 has no such check
if redis.acl_check_cmd then
  local used = {
    { 'HMGET', head, 'a' }, { 'HLEN', head }, { 'HSET', head, 'a', 'b' }, { 'XLEN', log },
    { 'XREVRANGE', log, '+', '-', 'COUNT', '1' }, { 'XADD', log, '1-1', 'a', 'b' }, { 'XADD', wake, '1-1', 'a', 'b' },
    { 'XTRIM', log, 'MINID', '1-1' }, { 'DEL', log }, { 'HGETALL', parts }, { 'HSET', parts, 'a', 'b' },
    { 'HDEL', parts, 'a' }, { 'LLEN', part }, { 'PERSIST', part }, { 'DEL', part },
  }
  if ARGV[1] == 'probe' then
    -- a large change is written before the script runs
    used[#used + 1] = { 'RPUSH', part, 'a' }
    used[#used + 1] = { 'EXPIRE', part, '1' }
  end
  for _, command in ipairs(used) do
    if not redis.acl_check_cmd(unpack(command)) then
      return redis.error_reply('NOPERM the script may not run ' .. command[1] .. ' on ' .. command[2])
    end
  end
end
if ARGV[1] == 'probe' then
  redis.call('HLEN', parts)
  return { 'done' }
end

local function parse(id)
  local epoch, sequence = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(epoch), tonumber(sequence)
end

local present = redis.call('HMGET', head, 'format', 'epoch', 'sequence', 'digest', 'json', 'wake', 'image')
local length = redis.call('XLEN', log)
redis.call('XLEN', wake)
local kept = redis.call('HGETALL', parts)
local fields = redis.call('HLEN', head)
local function answer(word, fields)
  return { word, fields, present[1], present[2], present[3], present[4], present[5], present[6] }
end
if fields > 0 and present[1] ~= ARGV[4] then return answer('refused', fields) end

-- a head to which the log does not lead is none
local version = fields > 0 and present[2] .. '-' .. present[3]
local image = present[7] and parse(present[7]) and present[7]
if version and not parse(version) then return answer('refused', fields) end
if version then
  local last = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)
  last = last[1] and last[1][1]
  local epoch, sequence = parse(version)
  if image and version ~= image then
    local _, first = parse(image)
    if last ~= version or length < sequence - first then version = false end
  elseif last then
    local lastEpoch, lastSequence = parse(last)
    if lastEpoch > epoch or (lastEpoch == epoch and lastSequence > sequence) then version = false end
  end
end
if ARGV[1] ~= (version or '') or (version and ARGV[2] ~= present[4]) then
  return answer('refused', version and fields or 0)
end
-- what another program wrote is not replaced
if fields > 0 and ARGV[10] ~= redis.sha1hex(present[5] or '') then return answer('unchecked', fields) end

local changes = {}
for i = 11, #ARGV, 5 do
  local change = { id = ARGV[i], before = ARGV[i + 1], after = ARGV[i + 2], json = ARGV[i + 3] }
  if ARGV[i + 4] ~= '' then
    local key, count, sha256 = string.match(ARGV[i + 4], '^(%d+) (%d+) (%x+)$')
    change.key, change.count, change.sha256 = KEYS[tonumber(key)], count, sha256
    if redis.call('LLEN', change.key) ~= tonumber(count) then return { 'lost', change.key } end
  end
  changes[#changes + 1] = change
end

local isNewLog = ARGV[3] == '1'
if isNewLog then
  redis.call('DEL', log)
end
for _, change in ipairs(changes) do
  if change.key then
    redis.call('XADD', log, change.id, 'format', ARGV[4], 'before', change.before, 'after', change.after,
      'part', change.key, 'count', change.count, 'sha256', change.sha256)
    redis.call('PERSIST', change.key)
  else
    redis.call('XADD', log, change.id, 'format', ARGV[4], 'before', change.before, 'after', change.after,
      'changes', change.json)
  end
end
redis.call('HSET', head, 'format', ARGV[4], 'epoch', ARGV[5], 'sequence', ARGV[6], 'digest', ARGV[7],
  'image', ARGV[8], 'json', ARGV[9])

-- the log leads on from the image before the present one
local firstEpoch, lastTrimmed
if not isNewLog and image and image ~= ARGV[8] then
  firstEpoch, lastTrimmed = parse(image)
  redis.call('XTRIM', log, 'MINID', '=', string.format('%.0f-%.0f', firstEpoch, lastTrimmed + 1))
end
for i = 1, #kept, 2 do
  local epoch, sequence = parse(kept[i + 1])
  if isNewLog or (lastTrimmed and (epoch ~= firstEpoch or sequence <= lastTrimmed)) then
    if string.sub(kept[i], 1, #part) == part then redis.call('DEL', kept[i]) end
    redis.call('HDEL', parts, kept[i])
  end
end
for _, change in ipairs(changes) do
  if change.key then redis.call('HSET', parts, change.key, change.id) end
end

-- readers that wait for a change notice another head
if isNewLog or #changes == 0 then
  redis.call('HSET', head, 'wake', redis.call('XADD', wake, 'MAXLEN', '=', 1, '*', 'head', ARGV[5] .. '-' .. ARGV[6]))
end
return { 'done' }
`;
