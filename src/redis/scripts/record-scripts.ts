import { type StoreScript, storeScript } from './store-script.ts'

/**
 * The next version of the records of an epoch, by the key of the latest one: the time in microseconds, or one more. After a failover that
 * lost the latest writes, no version is used for other records again.
 */
export const NEXT_VERSION = `
local function nextVersion(versions)
  return text(math.max(tonumber(redis.call('GET', versions) or '0') + 1, seconds[1] * 1000000 + seconds[2]))
end
`

/**
 * The pattern of the id in a member of an index, which follows the last two NUL characters. Without its `^`, a search in a long text
 * without an id would begin anew at each character, and keep the store busy for minutes.
 */
export const MEMBER_ID: string = "'^.*%z%z(.*)$'"

// The key of a collection is an argument, because it is on the node of the world, whose key is KEYS[1].

/**
 * A part of an index: the ids and the texts of records. Replies nothing when the index is an order that is not ready.
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
  if not isReady then return {} end
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
return {found}
`,
)

/** Adds first records to a collection, unless it is opened. */
export const ADD_FIRST: StoreScript = storeScript(
  'addFirst',
  'writes',
  `
local key = take()
if redis.call('HEXISTS', key .. ':s', 'open') == 1 then return {0} end
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
return {1}
`,
)

/** Opens a collection that has its first records, unless it is opened. */
export const OPEN: StoreScript = storeScript(
  'open',
  'writes',
  `${NEXT_VERSION}
local collections, name, ids, orders, emptied = take(), take(), take(), take(), take()
local state = collections .. ':' .. name .. ':s'
if redis.call('HSETNX', state, 'open', '1') == 0 then return {0} end
redis.call('HSET', state, 'ids', ids, 'orders', orders, 'ready', orders)
if emptied ~= '' then redis.call('HSET', state, 'emptied', emptied) end
redis.call('SADD', collections, name)
local versions = string.sub(collections, 1, -2) .. 'v'
redis.call('SET', versions, nextVersion(versions))
return {1}
`,
)

/** Replaces the list `orders` or `ready` of a collection, if it is as expected. Replies 1, or 0 when it is not. */
export const REPLACE_ORDERS: StoreScript = storeScript(
  'replaceOrders',
  'writes',
  `
local state, field = take() .. ':s', take()
if redis.call('HGET', state, field) ~= take() then return {0} end
redis.call('HSET', state, field, take())
return {1}
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
return {}
`,
)

/** A search looks at so many records at most, so that it takes few milliseconds. */
const MAX_VISITS = 1000

/**
 * Finds the records that are in one index of each group, from a place on, in the order of the ids or of a property. Replies how it
 * ended, the ids and texts of records, the member after which the search goes on, and how many records are still to be skipped:
 *
 * - `found`: in their order; the member is empty when there are no more.
 * - `unsorted`: all records that match, without a place; they are so few that sorting them is cheaper than to walk the order.
 * - `unready`: the order is not made. `unknown`: it has an id whose members in other indexes are not known here.
 */
export const SEARCH: StoreScript = storeScript(
  'search',
  'reads',
  `
local MAX_VISITS, STEP = ${MAX_VISITS}, 100
local key, suffix, order, isReverse = take(), take(), take(), take() == '1'
local from, to, skip, limit = take(), take(), tonumber(take()), tonumber(take())
local groups, smallest, size = {}, nil, nil
for group = 1, tonumber(take()) do
  local keys = {}
  for index = 1, tonumber(take()) do keys[index] = key .. ':' .. take() end
  groups[group] = keys
  local own = #keys == 1 and redis.call('ZCARD', keys[1])
  if own and (not size or own < size) then smallest, size = group, own end
end

-- What is walked: the order; else the smallest of the indexes that have every record that matches, else that of the ids.
local walked, isUnsorted = key .. ':' .. suffix, false
if order ~= '' then
  local ready = redis.call('HGET', key .. ':s', 'ready')
  local isReady = false
  for _, one in ipairs(ready and cjson.decode(ready) or {}) do
    if one == order then isReady = true end
  end
  if not isReady then return {'unready'} end
  -- So many records are probably between those that match.
  local all = size and redis.call('ZCARD', key .. ':i')
  isUnsorted = size and size <= MAX_VISITS and size * MAX_VISITS < (skip + limit) * all
end
if smallest and (order == '' or isUnsorted) then
  walked = groups[smallest][1]
  table.remove(groups, smallest)
end
if isUnsorted then from, to, isReverse, skip, limit = '-', '+', false, 0, MAX_VISITS end

-- The member that a record has in the indexes of values: 5, then the text by which its id is ordered. Members of an order have that
-- text at their end. Its length is known for numbers, and for texts whose order is that of their bytes.
local function plainMember(member, id)
  if order == '' or isUnsorted then return member end
  local length = 17
  if string.sub(id, 1, 1) == '"' then
    if string.find(id, '[\\\\\\240-\\244]') or string.find(id, '\\237\\159\\191', 1, true) then return nil end
    length = #id
  end
  return '5' .. string.sub(member, -(length + 2 + #id))
end
local function isInAll(member)
  for _, keys in ipairs(groups) do
    local isInOne = false
    for _, one in ipairs(keys) do
      if not isInOne and redis.call('ZSCORE', one, member) then isInOne = true end
    end
    if not isInOne then return false end
  end
  return true
end

local kind = isUnsorted and 'unsorted' or 'found'
local found, visits = {}, 0
while true do
  local members = isReverse
    and redis.call('ZRANGE', walked, from, to, 'BYLEX', 'REV', 'LIMIT', 0, STEP)
    or redis.call('ZRANGE', walked, from, to, 'BYLEX', 'LIMIT', 0, STEP)
  for _, member in ipairs(members) do
    local id = string.match(member, ${MEMBER_ID})
    if not id then return corrupt(walked) end
    local plain = plainMember(member, id)
    if not plain then return {'unknown'} end
    if isInAll(plain) then
      if skip > 0 then skip = skip - 1
      else
        found[#found + 1] = id
        found[#found + 1] = redis.call('GET', key .. ':r:' .. id) or ''
        if #found == 2 * limit then return {kind, found, member, skip} end
      end
    end
  end
  if #members < STEP then return {kind, found, '', skip} end
  visits = visits + STEP
  if visits >= MAX_VISITS then return {kind, found, members[STEP], skip} end
  from = '(' .. members[STEP]
end
`,
)

/** The sum of the numbers of records that are in all indexes of each term, whose signs are 1 or -1. */
export const COUNT: StoreScript = storeScript(
  'count',
  'reads',
  `
local key, count = take(), 0
for _ = 1, tonumber(take()) do
  local sign, keys = tonumber(take()), {}
  for index = 1, tonumber(take()) do keys[index] = key .. ':' .. take() end
  count = count + sign * redis.call('ZINTERCARD', #keys, unpack(keys))
end
return {count}
`,
)
