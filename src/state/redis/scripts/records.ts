import { type StoreScript, storeScript } from '../store-script.ts'
import { MEMBER_ID } from './member-id.ts'

// The key of a collection is an argument, because it is on the node of the world, whose key is KEYS[1].

/**
 * A part of an index: the ids and the texts of records. Replies only the time when the index is an order that is not ready.
 */
export const PAGE: StoreScript = storeScript(
  'page',
  'reads',
  `
local key, suffix, order, isReverse = take(), take(), take(), take() == '1'
local from, to, skip, limit = take(), take(), take(), take()
if order ~= '' then
  local ready = redis.call('HGET', key .. ':s', 'ready')
  local isReady = false
  for _, one in ipairs(ready and cjson.decode(ready) or {}) do
    if one == order then isReady = true end
  end
  if not isReady then return {time} end
end
local index = key .. ':' .. suffix
local members = isReverse
  and redis.call('ZRANGE', index, from, to, 'BYLEX', 'REV', 'LIMIT', skip, limit)
  or redis.call('ZRANGE', index, from, to, 'BYLEX', 'LIMIT', skip, limit)
local found = {}
for _, member in ipairs(members) do
  -- The id follows the last two NUL characters.
  local id = string.match(member, ${MEMBER_ID})
  if not id then return corrupt(index) end
  found[#found + 1] = id
  found[#found + 1] = redis.call('GET', key .. ':r:' .. id) or ''
end
return {time, found}
`,
)

/** Adds first records to a collection, unless it is opened. */
export const ADD_FIRST: StoreScript = storeScript(
  'addFirst',
  'writes',
  `
local key = take()
if redis.call('HEXISTS', key .. ':s', 'open') == 1 then return {time, 0} end
-- When the writer ends before the collection is opened or the epoch begins, this is how its records are found and removed.
local epoch, name = string.match(string.sub(key, #base + 2), '^([^:]+):c:(.*)$')
redis.call('SADD', base .. ':' .. epoch .. ':p', name)
if redis.call('HGET', base, 'epoch') ~= epoch then
  redis.call('ZADD', base .. ':pending', clock, epoch)
end
for _ = 1, tonumber(take()) do
  local id = take()
  redis.call('SET', key .. ':r:' .. id, '0 ' .. take())
  for _ = 1, tonumber(take()) do
    local suffix = take()
    redis.call('ZADD', key .. ':' .. suffix, 0, take())
    redis.call('SADD', key .. ':k', suffix)
  end
end
return {time, 1}
`,
)

/** Opens a collection that has its first records, unless it is opened. */
export const OPEN: StoreScript = storeScript(
  'open',
  'writes',
  `
local collections, name, ids, orders, emptied = take(), take(), take(), take(), take()
local state = collections .. ':' .. name .. ':s'
if redis.call('HSETNX', state, 'open', '1') == 0 then return {time, 0} end
redis.call('HSET', state, 'ids', ids, 'orders', orders, 'ready', orders)
if emptied ~= '' then redis.call('HSET', state, 'emptied', emptied) end
redis.call('SADD', collections, name)
return {time, 1}
`,
)

/** Replaces the list `orders` or `ready` of a collection, if it is as expected. Replies 1, or 0 when it is not. */
export const REPLACE_ORDERS: StoreScript = storeScript(
  'replaceOrders',
  'writes',
  `
local state, field = take() .. ':s', take()
if redis.call('HGET', state, field) ~= take() then return {time, 0} end
redis.call('HSET', state, field, take())
return {time, 1}
`,
)

/** Adds records to an order, unless they have changed since they were read: then their writer has added them. */
export const FILL_ORDER: StoreScript = storeScript(
  'fillOrder',
  'writes',
  `
local key, suffix = take(), take()
for _ = 1, tonumber(take()) do
  local id, version, member = take(), take(), take()
  local present = redis.call('GET', key .. ':r:' .. id)
  if present and string.match(present, '^%d+') == version then
    redis.call('ZADD', key .. ':' .. suffix, 0, member)
  end
end
redis.call('SADD', key .. ':k', suffix)
return {time}
`,
)
