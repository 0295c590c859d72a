import { type StoreScript, storeScript } from '../store-script.ts'
import { ACCOUNT_ORDER } from './account-order.ts'

/**
 * Writes a commit, if all that it depends on is as it was. Everything is read first, and nothing is written before. Replies
 * `past`; `conflict` with the present rules, states of ids and accounts; or `done` with the id of the exchange.
 */
export const COMMIT: StoreScript = storeScript(
  'commit',
  'writes',
  `${ACCOUNT_ORDER}
local world = redis.call('HMGET', base, 'epoch', 'version', 'journal')
local name = take()
if world[1] ~= name then return {time, 'past'} end
local epoch = base .. ':' .. name
local version, newText, offset, frozen, random = take(), take(), take(), take(), take()
local isSame = version == '' or version == world[2]

-- Parts of hashes that are replaced: accounts and rules.
local function readReplacements(hash)
  local list = {}
  for index = 1, tonumber(take()) do
    local one = {field = take(), before = take(), after = take()}
    one.present = redis.call('HGET', hash, one.field) or ''
    if one.present ~= one.before then isSame = false end
    list[index] = one
  end
  return list
end
local function replace(hash, list)
  for _, one in ipairs(list) do
    if one.after == '' then redis.call('HDEL', hash, one.field)
    else redis.call('HSET', hash, one.field, one.after) end
  end
end
local accounts = readReplacements(epoch .. ':accounts')
local rules = readReplacements(epoch .. ':rules')

local counts = {}
for index = 1, tonumber(take()) do
  local one = {field = take(), matched = tonumber(take()), forced = tonumber(take())}
  local present = redis.call('HGET', epoch .. ':rules', one.field)
  if present then
    one.before = {string.match(present, '^(%d+):(%d+):(.+)$')}
    if not one.before[1] then return corrupt(epoch .. ':rules') end
    counts[#counts + 1] = one
  end
end

-- Collections: each has the orders that the writer knows.
local collections = {}
for index = 1, tonumber(take()) do
  local key = epoch .. ':c:' .. take()
  collections[index] = key
  if (redis.call('HGET', key .. ':s', 'orders') or '[]') ~= take() then isSame = false end
end
local ids, presentIds = {}, {}
for index = 1, tonumber(take()) do
  local one = {key = epoch .. ':c:' .. take() .. ':s', from = take(), to = take()}
  ids[index] = one
  presentIds[index] = redis.call('HGET', one.key, 'ids')
  if presentIds[index] ~= one.from then isSame = false end
end

local writes = {}
for index = 1, tonumber(take()) do
  local one = {collection = collections[tonumber(take())], id = take()}
  one.key = one.collection .. ':r:' .. one.id
  local present = redis.call('GET', one.key)
  if take() ~= (present and string.match(present, '^%d+') or '') then isSame = false end
  one.rest = take()
  one.changes = {}
  for change = 1, tonumber(take()) do
    one.changes[change] = {suffix = take(), member = take(), isAdded = take() == '1'}
  end
  writes[index] = one
end
local exchange, size = take(), take()

if not isSame then
  local function presentOf(list)
    local present = {}
    for index, one in ipairs(list) do present[index] = one.present end
    return present
  end
  return {time, 'conflict', presentOf(rules), presentIds, presentOf(accounts)}
end

if newText ~= '' then redis.call('HSET', base, 'text', newText, 'version', text(world[2] + 1)) end
if offset ~= '' then
  redis.call('HSET', base, 'offset', offset)
  if frozen == '' then redis.call('HDEL', base, 'frozen')
  else redis.call('HSET', base, 'frozen', frozen) end
end
if random ~= '' then redis.call('HSET', base, 'random', random) end
replace(epoch .. ':accounts', accounts)
for _, one in ipairs(accounts) do orderAccount(epoch, one.field, one.present, one.after) end
replace(epoch .. ':rules', rules)
for _, one in ipairs(counts) do
  redis.call('HSET', epoch .. ':rules', one.field, table.concat({text(one.before[1] + one.matched),
    text(one.before[2] + one.forced), one.before[3]}, ':'))
end
for _, one in ipairs(ids) do redis.call('HSET', one.key, 'ids', one.to) end

-- The set of the suffixes of indexes is what finds them when the epoch is removed.
local function index(collection, change)
  local key = collection .. ':' .. change.suffix
  if change.isAdded then
    if redis.call('ZADD', key, 0, change.member) == 1 and redis.call('ZCARD', key) == 1 then
      redis.call('SADD', collection .. ':k', change.suffix)
    end
  elseif redis.call('ZREM', key, change.member) == 1 and redis.call('EXISTS', key) == 0 then
    redis.call('SREM', collection .. ':k', change.suffix)
  end
end
for _, one in ipairs(writes) do
  -- Each write has a version of its own.
  redis.call('SET', one.key, text(redis.call('INCR', epoch .. ':v')) .. ' ' .. one.rest)
  for _, change in ipairs(one.changes) do index(one.collection, change) end
end

if exchange == '' then return {time, 'done'} end
local id = redis.call('HINCRBY', base, 'last', 1)
redis.call('XADD', base .. ':' .. (world[3] or name) .. ':journal', 'MAXLEN', size, text(id) .. '-0', 'exchange', exchange)
return {time, 'done', text(id)}
`,
)
