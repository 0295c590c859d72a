import { type StoreScript, storeScript } from '../store-script.ts'

/**
 * Registers a contract, unless the store has one. The time of a registration is that of the store, unless it is given. Replies with
 * 1 if the store had none, and the registered format, title, version, digest and time.
 */
export const REGISTER: StoreScript = storeScript(
  'register',
  'writes',
  `
local isNew = 1 - redis.call('EXISTS', base)
if isNew == 1 then
  redis.call('HSET', base, 'format', take(), 'title', take(), 'version', take(), 'digest', take())
  local startedAt = take()
  redis.call('HSET', base, 'startedAt', startedAt == '' and time or startedAt)
end
return {time, isNew, unpack(redis.call('HMGET', base, 'format', 'title', 'version', 'digest', 'startedAt'))}
`,
)

/** Notes that a world is used. Replies with the names of the least recently used worlds that are too many. */
export const TOUCH: StoreScript = storeScript(
  'touch',
  'writes',
  `
redis.call('ZADD', base, seconds[1] * 1000000 + seconds[2], take())
local excess = redis.call('ZCARD', base) - tonumber(take())
if excess <= 0 then return {time, {}} end
return {time, redis.call('ZRANGE', base, 0, excess - 1)}
`,
)

/** Removes a name, and may add it to the last hundred dropped ones. Replies 1 when the name was there. */
export const REMOVE: StoreScript = storeScript(
  'remove',
  'frees',
  `
local name, isDropped = take(), take() == '1'
local removed = redis.call('ZREM', base, name)
if isDropped then
  redis.call('RPUSH', base .. ':dropped', name)
  redis.call('LTRIM', base .. ':dropped', -100, -1)
end
return {time, removed}
`,
)

/** The names of the worlds that were not used for so many milliseconds. */
export const UNUSED: StoreScript = storeScript(
  'unused',
  'reads',
  `return {time, redis.call('ZRANGEBYSCORE', base, '-inf', (clock - tonumber(take())) * 1000)}`,
)
