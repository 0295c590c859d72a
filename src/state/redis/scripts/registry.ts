import { type StoreScript, storeScript } from '../store-script.ts'

/**
 * Registers a contract, unless the store has one. The time of a registration is that of the store, unless it is given. Replies with
 * 1 if the store had none, and the registered format, title, version, digest, parts and time.
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
return {time, isNew, unpack(redis.call('HMGET', base, 'format', 'title', 'version', 'digest',
  'parts', 'startedAt'))}
`,
)

/** Removes names, and adds them to the last hundred dropped ones. */
const DROP = `
local function drop(names)
  for _, name in ipairs(names) do
    redis.call('ZREM', base, name)
    redis.call('RPUSH', base .. ':dropped', name)
  end
  redis.call('LTRIM', base .. ':dropped', -100, -1)
end
`

/** Notes that a world is used, and drops the least recently used worlds that are too many. Replies with their names. */
export const TOUCH: StoreScript = storeScript(
  'touch',
  'writes',
  `${DROP}
redis.call('ZADD', base, seconds[1] * 1000000 + seconds[2], take())
local excess = redis.call('ZCARD', base) - tonumber(take())
if excess <= 0 then return {time, {}} end
local names = redis.call('ZRANGE', base, 0, excess - 1)
drop(names)
return {time, names}
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
return {time, names}
`,
)
