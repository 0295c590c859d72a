import { type StoreScript, storeScript } from './store-script.ts'

/**
 * Registers a contract, unless the store has one. The time of a registration is that of the store, unless it is given. The secret is
 * the first one that a server gives. Replies with 1 if the store had none, and the registered format, title, version, digest, parts,
 * time and secret.
 */
export const REGISTER: StoreScript = storeScript(
  'register',
  'writes',
  `
local isNew = 1 - redis.call('EXISTS', base)
if isNew == 1 then
  redis.call('HSET', base, 'format', take(), 'title', take(), 'version', take(), 'digest', take(),
    'parts', take())
  local startedAt = take()
  redis.call('HSET', base, 'startedAt', startedAt == '' and time or startedAt)
end
redis.call('HSETNX', base, 'secret', ARGV[last])
return {isNew, unpack(redis.call('HMGET', base, 'format', 'title', 'version', 'digest',
  'parts', 'startedAt', 'secret'))}
`,
)

/** All names by their latest uses are in one sorted set, and those of each group in another one. */
const GROUPS = `
local groups = {'named', 'keys', 'others'}
local now = seconds[1] * 1000000 + seconds[2]
local function setOf(group) return base .. ':' .. group end
local function remove(name)
  redis.call('ZREM', base, name)
  for _, group in ipairs(groups) do redis.call('ZREM', setOf(group), name) end
end
local function note(name, own)
  redis.call('ZADD', base, now, name)
  for _, group in ipairs(groups) do
    if group == own then redis.call('ZADD', setOf(group), now, name)
    elseif own ~= '' then redis.call('ZREM', setOf(group), name)
    else redis.call('ZADD', setOf(group), 'XX', now, name) end
  end
end
`

/** Removes names, and adds them to the last hundred dropped ones. */
const DROP = `${GROUPS}
local function drop(names)
  for _, name in ipairs(names) do
    remove(name)
    redis.call('RPUSH', base .. ':dropped', name)
  end
  redis.call('LTRIM', base .. ':dropped', -100, -1)
end
`

/**
 * Adds a world to its group, or notes that it is used, and drops the least recently used worlds of the group that are too many. Replies
 * with their names, or with `full` if a new world is one too many and none was idle for so many milliseconds.
 */
export const ADD: StoreScript = storeScript(
  'add',
  'writes',
  `${DROP}
local name, group, most, idle = take(), take(), tonumber(take()), tonumber(take())
local set = setOf(group)
local isNew = not redis.call('ZSCORE', set, name)
local excess = redis.call('ZCARD', set) - most
if isNew then excess = excess + 1 end
local names = {}
if excess > 0 and idle > 0 then
  names = redis.call('ZRANGEBYSCORE', set, '-inf', now - idle * 1000, 'LIMIT', 0, excess)
  if isNew and #names < excess then return {'full'} end
end
note(name, group)
if excess > 0 and idle == 0 then names = redis.call('ZRANGE', set, 0, excess - 1) end
drop(names)
return {names}
`,
)

/** Notes that a world is used, if it is there. An empty group is the one that the world has. */
export const USE: StoreScript = storeScript(
  'use',
  'writes',
  `${GROUPS}
local name, group = take(), take()
if redis.call('ZSCORE', base, name) then note(name, group) end
return {}
`,
)

/** Removes a world. */
export const REMOVE: StoreScript = storeScript(
  'remove',
  'frees',
  `${GROUPS}
remove(take())
return {}
`,
)

/** Drops the worlds whose names start with a prefix and that were not used for so many milliseconds. Replies with their names. */
export const DROP_UNUSED: StoreScript = storeScript(
  'dropUnused',
  'frees',
  `${DROP}
local prefix, latest = take(), (clock - tonumber(take())) * 1000
local names = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', base, '-inf', latest)) do
  if string.sub(name, 1, #prefix) == prefix then names[#names + 1] = name end
end
drop(names)
return {names}
`,
)

/** Notes that a world may have something to send. */
export const NOTE_PENDING: StoreScript = storeScript(
  'notePending',
  'writes',
  `
redis.call('ZADD', base, clock, take())
return {}
`,
)

/** Forgets such a world, unless it was noted since. */
export const FORGET_PENDING: StoreScript = storeScript(
  'forgetPending',
  'frees',
  `
local name, noted = take(), tonumber(take())
if tonumber(redis.call('ZSCORE', base, name) or noted + 1) <= noted then
  redis.call('ZREM', base, name)
end
return {}
`,
)

/** Waits for an answer: nobody gives it after a minute. */
export const EXPECT_ANSWER: StoreScript = storeScript(
  'expectAnswer',
  'writes',
  `
redis.call('SET', base, '')
redis.call('PEXPIRE', base, 60000)
return {}
`,
)

/** Leaves an answer, and replies with 1, if somebody waits for it. */
export const GIVE_ANSWER: StoreScript = storeScript(
  'giveAnswer',
  'writes',
  `
if redis.call('EXISTS', base) == 0 then return {0} end
redis.call('SET', base, take())
redis.call('PEXPIRE', base, 60000)
return {1}
`,
)

/** Takes an answer. Replies with an empty text when there is none yet. */
export const TAKE_ANSWER: StoreScript = storeScript(
  'takeAnswer',
  'frees',
  `
local answer = redis.call('GET', base) or ''
if answer ~= '' then redis.call('DEL', base) end
return {answer}
`,
)

/**
 * Calls every command that is used, on keys that nobody else uses. A user that lacks the right to one of them would fail in the
 * middle of a change. Replies with nothing, or with the error `NOPERM`.
 */
export const PROBE: StoreScript = storeScript(
  'probe',
  'writes',
  `
local key = {}
for _, kind in ipairs({'text', 'hash', 'set', 'sorted', 'list', 'stream'}) do
  key[kind] = base .. ':' .. kind
end
local commands = {
  {'TIME'}, {'EXISTS', key.text}, {'SET', key.text, '1'}, {'GET', key.text},
  {'HSET', key.hash, 'a', '1'}, {'HSETNX', key.hash, 'a', '1'}, {'HINCRBY', key.hash, 'a', '1'},
  {'HGET', key.hash, 'a'}, {'HMGET', key.hash, 'a'}, {'HGETALL', key.hash},
  {'HEXISTS', key.hash, 'a'}, {'HDEL', key.hash, 'b'},
  {'SADD', key.set, 'a'}, {'SCARD', key.set}, {'SMEMBERS', key.set}, {'SRANDMEMBER', key.set},
  {'SREM', key.set, 'b'},
  {'ZADD', key.sorted, '1', 'a'}, {'ZCARD', key.sorted}, {'ZCOUNT', key.sorted, '0', '1'},
  {'ZRANGE', key.sorted, '0', '0'}, {'ZRANGEBYSCORE', key.sorted, '0', '1'},
  {'ZSCORE', key.sorted, 'a'}, {'ZREM', key.sorted, 'b'},
  {'ZINTERCARD', '1', key.sorted}, {'ZREMRANGEBYRANK', key.sorted, '1', '1'},
  {'ZPOPMIN', key.sorted}, {'RPUSH', key.list, 'a'}, {'LTRIM', key.list, '0', '0'},
  {'LRANGE', key.list, '0', '0'},
  {'XADD', key.stream, '1-1', 'a', '1'}, {'XLEN', key.stream}, {'XRANGE', key.stream, '-', '+'},
  {'XREAD', 'COUNT', '1', 'STREAMS', key.stream, '0'}, {'XTRIM', key.stream, 'MAXLEN', '0'},
  {'PEXPIRE', key.hash, '60000'}, {'DEL', key.text},
  {'UNLINK', key.text, key.hash, key.set, key.sorted, key.list, key.stream},
}
local hasFailed = false
for _, command in ipairs(commands) do
  local reply = redis.pcall(unpack(command))
  if type(reply) == 'table' and reply.err then hasFailed = true end
end
if hasFailed then return redis.error_reply('NOPERM to a command of a script') end
return {}
`,
)
