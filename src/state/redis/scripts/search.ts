import { type StoreScript, storeScript } from '../store-script.ts'
import { MEMBER_ID } from './member-id.ts'

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
  if not isReady then return {time, 'unready'} end
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
    if not plain then return {time, 'unknown'} end
    if isInAll(plain) then
      if skip > 0 then skip = skip - 1
      else
        found[#found + 1] = id
        found[#found + 1] = redis.call('GET', key .. ':r:' .. id) or ''
        if #found == 2 * limit then return {time, kind, found, member, skip} end
      end
    end
  end
  if #members < STEP then return {time, kind, found, '', skip} end
  visits = visits + STEP
  if visits >= MAX_VISITS then return {time, kind, found, members[STEP], skip} end
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
return {time, count}
`,
)
