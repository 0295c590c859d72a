import { MAX_HAPPENED } from '../../events/world-events.ts'
import { MEMBER_ID, NEXT_VERSION } from './record-scripts.ts'
import { type StoreScript, storeScript } from './store-script.ts'

/**
 * The order of accounts, which a hash does not have: by their first request, and before it by their first ban. `moveToEnd(key, member)`
 * makes a member the last one of a sorted set.
 */
const ACCOUNT_ORDER = `
local function moveToEnd(key, member)
  local last = redis.call('ZRANGE', key, 0, 0, 'REV', 'WITHSCORES')[2] or '0'
  redis.call('ZADD', key, text(last + 1), member)
end
local function isUsed(account) return account ~= '' and string.sub(account, 1, 1) ~= '|' end
local function orderAccount(epoch, account, before, after)
  if after == '' then redis.call('ZREM', epoch .. ':order', account)
  elseif before == '' or (isUsed(after) and not isUsed(before)) then
    moveToEnd(epoch .. ':order', account)
  end
end
`

/** How long the journal of an ended epoch is kept, in milliseconds: the marker at its end wakes its followers at once. */
const MARKER_LIFE = 10_000

/** An epoch whose records were written, and which has not begun for so many milliseconds after that, never begins. */
const PENDING_LIFE: number = 600_000

/** Ends the present journal. The marker at its end wakes those that follow it. */
const END_JOURNAL = `
local function endJournal(begun, last)
  local journal = base .. ':' .. begun .. ':journal'
  redis.call('XADD', journal, last .. '-1', 'end', '1')
  redis.call('PEXPIRE', journal, ${MARKER_LIFE})
end
`

/** For so many milliseconds, the events of a world are kept for those who follow them. Servers prolong it while somebody does. */
const FOLLOWED_LIFE = 60_000

/** Whether anybody follows the events of a world, by the time at which that ends. */
const IS_FOLLOWED = `
local function isFollowedUntil(followed) return (tonumber(followed or '') or 0) > clock end
`

/** Ends the log of events of an epoch. The marker at its end wakes those that follow it. */
const END_LOG = `${IS_FOLLOWED}
local function endLog(epoch, followed, told)
  local log = base .. ':' .. epoch .. ':events'
  if not followed then return end
  if not isFollowedUntil(followed) then
    redis.call('UNLINK', log)
    return
  end
  redis.call('XADD', log, (told or '0') .. '-1', 'end', '1')
  redis.call('PEXPIRE', log, ${MARKER_LIFE})
end
`

/** Prolongs the time for which the events of an epoch are kept. Replies 1, or 0 when the epoch has ended. */
export const KEEP_FOLLOWED: StoreScript = storeScript(
  'keep followed',
  'writes',
  `
local epoch = take()
if redis.call('HGET', base, 'epoch') ~= epoch then return {0} end
redis.call('HSET', base, 'followed', text(clock + ${FOLLOWED_LIFE}))
redis.call('PEXPIRE', base .. ':' .. epoch .. ':events', ${FOLLOWED_LIFE})
return {1}
`,
)

/**
 * Replaces the present epoch, if it is the expected one. Replies 1, or 0 when it is another one. A journal has the name of the epoch in
 * which it began. Only a world that has gone on with one since has the field `journal`.
 */
export const BEGIN: StoreScript = storeScript(
  'begin',
  'writes',
  `${END_JOURNAL}${END_LOG}${ACCOUNT_ORDER}
local world = redis.call('HMGET', base, 'epoch', 'last', 'journal', 'followed', 'told')
if (world[1] or '') ~= take() then return {0} end
local epoch = take()
local journal, last = false, '0'
if take() == '1' and world[1] then
  journal, last = world[3] or world[1], world[2]
elseif world[1] then
  endJournal(world[3] or world[1], world[2])
end
if world[1] then
  endLog(world[1], world[4], world[5])
  redis.call('SADD', base .. ':retired', world[1])
end
redis.call('DEL', base)
redis.call('ZREM', base .. ':pending', epoch)
redis.call('HSET', base, 'epoch', epoch, 'version', '1', 'last', last,
  'text', take(), 'offset', take(), 'random', take())
if journal then redis.call('HSET', base, 'journal', journal) end
local frozen = take()
if frozen ~= '' then redis.call('HSET', base, 'frozen', frozen) end
epoch = base .. ':' .. epoch
for _ = 1, tonumber(take()) do
  local account, used = take(), take()
  redis.call('HSET', epoch .. ':accounts', account, used)
  orderAccount(epoch, account, '', used)
end
for _ = 1, tonumber(take()) do redis.call('HSET', epoch .. ':rules', take(), take()) end
return {1}
`,
)

/** Deletes a world. Replies 1, or 0 when it does not exist. */
export const DELETE: StoreScript = storeScript(
  'delete',
  'frees',
  `${END_JOURNAL}${END_LOG}
local world = redis.call('HMGET', base, 'epoch', 'last', 'journal', 'followed', 'told')
if not world[1] then return {0} end
endJournal(world[3] or world[1], world[2])
endLog(world[1], world[4], world[5])
redis.call('SADD', base .. ':retired', world[1])
redis.call('DEL', base)
return {1}
`,
)

/** Removes a part of the retired epochs. Replies 0 when nothing is left. */
export const CLEAN: StoreScript = storeScript(
  'clean',
  'frees',
  `
local pending = base .. ':pending'
for _, epoch in ipairs(redis.call('ZRANGEBYSCORE', pending, '-inf', clock - ${PENDING_LIFE})) do
  redis.call('ZREM', pending, epoch)
  if redis.call('HGET', base, 'epoch') ~= epoch then redis.call('SADD', base .. ':retired', epoch) end
end
local epoch = redis.call('SRANDMEMBER', base .. ':retired')
if not epoch then return {0} end
epoch = base .. ':' .. epoch
local collection = redis.call('SRANDMEMBER', epoch .. ':c')
  or redis.call('SRANDMEMBER', epoch .. ':p')
if not collection then
  redis.call('UNLINK', epoch .. ':accounts', epoch .. ':rules', epoch .. ':unlisted', epoch .. ':v',
    epoch .. ':order')
  local name = string.sub(epoch, #base + 2)
  -- The marker is left.
  if redis.call('HGET', base, 'journal') ~= name then
    redis.call('XTRIM', epoch .. ':journal', 'MAXLEN', 1)
  end
  redis.call('SREM', base .. ':retired', name)
  return {1}
end
local key = epoch .. ':c:' .. collection
local found = 0
for _, index in ipairs({key .. ':i', key .. ':removed'}) do
  -- The id follows the last two NUL characters.
  for _, member in ipairs(redis.call('ZRANGE', index, 0, 199)) do
    redis.call('UNLINK', key .. ':r:' .. (string.match(member, ${MEMBER_ID}) or ''))
    found = found + 1
  end
  redis.call('ZREMRANGEBYRANK', index, 0, 199)
end
if found == 0 then
  for _, suffix in ipairs(redis.call('SMEMBERS', key .. ':k')) do
    redis.call('UNLINK', key .. ':' .. suffix)
  end
  redis.call('UNLINK', key .. ':s', key .. ':k')
  redis.call('SREM', epoch .. ':c', collection)
  redis.call('SREM', epoch .. ':p', collection)
end
return {1}
`,
)

/** Everything of a world but the records and the journal; also the number of epochs that are to be removed. */
export const LOAD: StoreScript = storeScript(
  'load',
  'reads',
  `${IS_FOLLOWED}
local world = redis.call('HMGET', base, 'epoch', 'version', 'text', 'offset', 'frozen', 'random', 'last',
  'followed', 'told')
if not world[1] then return {'missing'} end
local epoch = base .. ':' .. world[1]
return {'loaded', time, world, redis.call('HGETALL', epoch .. ':accounts'),
  redis.call('ZRANGE', epoch .. ':order', 0, -1), redis.call('HGETALL', epoch .. ':rules'),
  redis.call('SCARD', base .. ':retired')
    + redis.call('ZCOUNT', base .. ':pending', '-inf', clock - ${PENDING_LIFE}),
  isFollowedUntil(world[8]) and 1 or 0, world[9] or '0'}
`,
)

/** The exchanges of the present journal after an id, up to a number of them. */
export const READ_JOURNAL: StoreScript = storeScript(
  'read journal',
  'reads',
  `
local world = redis.call('HMGET', base, 'epoch', 'journal')
if not world[1] then return {} end
local after, limit = take(), take()
return {redis.call('XRANGE', base .. ':' .. (world[2] or world[1]) .. ':journal', '(' .. after .. '-0', '+',
  'COUNT', limit)}
`,
)

/**
 * Loads what a request depends on, and counts the request as `decideQuota` and `decideAdmission` do. Replies `missing` with the time; `stale` with
 * epoch, version and text; or `arrived` with now, last, the account before and after, random, the version of the records, and the rules.
 */
export const ARRIVE: StoreScript = storeScript(
  'arrive',
  'writes',
  `${ACCOUNT_ORDER}${IS_FOLLOWED}
local MINUTE, DAY, MAX_TIME, MAX_UNLISTED = 60000, 86400000, 253402300799999, 10000
local world = redis.call('HMGET', base, 'epoch', 'version', 'offset', 'frozen', 'random', 'last', 'followed', 'told')
if not world[1] then return {'missing', time} end
if world[1] ~= take() or world[2] ~= take() then
  return {'stale', world[1], world[2], redis.call('HGET', base, 'text')}
end

local epoch = base .. ':' .. world[1]
local offset = tonumber(world[3] or '')
if not offset then return corrupt(base) end
local now = math.max(0, math.min(world[4] and tonumber(world[4]) or clock + offset, MAX_TIME))
local account = take()
local isCounted = take() == '1'
local before = redis.call('HGET', epoch .. ':accounts', account) or ''
local after = before

if isCounted then
  local planMinute, planDay = tonumber(take()), tonumber(take())
  local always, cost, isEnforced, isUnlisted = take(), tonumber(take()), take() == '1', take() == '1'
  local refusals, seconds = tonumber(take()), tonumber(take())
  local factor, maxSeconds = tonumber(take()), tonumber(take())
  local isAdmitted = take() == '1'

  local used, history = '', ''
  if before ~= '' then
    used, history = string.match(before, '^([^|]*)|([^|]*)$')
    if not used then return corrupt(epoch .. ':accounts') end
  end
  local NUMBERS = '^([^:]+):([^:]+):([^:]+):([^:]+)$'
  local minute, minuteUsed, day, dayUsed = string.match(used, NUMBERS)
  local row, retryAt, bans, bannedUntil = string.match(history, NUMBERS)
  row, retryAt = tonumber(row or '0'), tonumber(retryAt or '0')
  bans, bannedUntil = tonumber(bans or '0'), tonumber(bannedUntil or '0')
  minuteUsed, dayUsed = tonumber(minuteUsed or '0'), tonumber(dayUsed or '0')
  if not (row and retryAt and bans and bannedUntil and minuteUsed and dayUsed) then
    return corrupt(epoch .. ':accounts')
  end

  -- The usage in the windows that now is in. A magic key has always spent its window.
  local thisMinute, thisDay = math.floor(now / MINUTE), math.floor(now / DAY)
  if tonumber(minute or '0') ~= thisMinute then minuteUsed = 0 end
  if tonumber(day or '0') ~= thisDay then dayUsed = 0 end
  if always == 'rate-limited' then minuteUsed = planMinute end
  if always == 'day-exhausted' then dayUsed = planDay end

  -- A spent window refuses the request, and so does a ban.
  local spentUntil
  if isEnforced or always ~= '' then
    if planDay - dayUsed <= 0 then spentUntil = (thisDay + 1) * DAY
    elseif planMinute - minuteUsed <= 0 then spentUntil = (thisMinute + 1) * MINUTE end
  end
  local isBanned = always == 'banned' or bannedUntil > now
  if isEnforced and not spentUntil and not isBanned then
    minuteUsed, dayUsed = minuteUsed + cost, dayUsed + cost
  end

  -- A refusal that did not wait for the one before may cause a ban.
  local hasHistory = history ~= ''
  if isAdmitted and not spentUntil and not isBanned then
    row = 0
  elseif isAdmitted and refusals and always == '' and not isBanned then
    hasHistory = true
    if now < retryAt then row = row + 1 else row = 1 end
    retryAt = spentUntil
    if row >= refusals then
      local length = math.min(seconds * factor ^ bans, maxSeconds)
      row, bans, bannedUntil = 0, bans + 1, math.min(now + length * 1000, MAX_TIME)
    end
  end
  if hasHistory then
    history = table.concat({text(row), text(retryAt), text(bans), text(bannedUntil)}, ':')
  end
  used = table.concat({text(thisMinute), text(minuteUsed), text(thisDay), text(dayUsed)}, ':')
  after = used .. '|' .. history
  if after ~= before then
    redis.call('HSET', epoch .. ':accounts', account, after)
    orderAccount(epoch, account, before, after)
  end

  -- A client may send a new token with each request: the oldest of too many is forgotten.
  local unlisted = epoch .. ':unlisted'
  if isUnlisted and not redis.call('ZSCORE', unlisted, account) then
    moveToEnd(unlisted, account)
    if redis.call('ZCARD', unlisted) > MAX_UNLISTED then
      local oldest = redis.call('ZPOPMIN', unlisted)[1]
      local kept = string.match(redis.call('HGET', epoch .. ':accounts', oldest) or '', '|.+$')
      if kept then redis.call('HSET', epoch .. ':accounts', oldest, kept)
      else
        redis.call('HDEL', epoch .. ':accounts', oldest)
        redis.call('ZREM', epoch .. ':order', oldest)
      end
    end
  end
end

local reply = {'arrived', time, text(now), world[6], before, after, world[5],
  isFollowedUntil(world[7]) and 1 or 0, world[8] or '0', redis.call('GET', epoch .. ':v') or '0'}
for rule = position + 1, last do
  reply[#reply + 1] = redis.call('HGET', epoch .. ':rules', ARGV[rule])
end
return reply
`,
)

/**
 * Writes a commit, if all that it depends on is as it was. Everything is read first, and nothing is written before. Replies
 * `past`; `conflict` with the present rules and accounts, and whether events are followed; or `done` with the id of the exchange.
 */
export const COMMIT: StoreScript = storeScript(
  'commit',
  'writes',
  `${ACCOUNT_ORDER}${IS_FOLLOWED}${NEXT_VERSION}
local world = redis.call('HMGET', base, 'epoch', 'version', 'journal', 'followed', 'told')
local name = take()
if world[1] ~= name then return {'past'} end
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
local ids = {}
for index = 1, tonumber(take()) do
  local one = {key = epoch .. ':c:' .. take() .. ':s', from = take(), to = take()}
  ids[index] = one
  if redis.call('HGET', one.key, 'ids') ~= one.from then isSame = false end
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
-- Somebody may follow the events since this was decided: they must be told of it.
local isFollowed = isFollowedUntil(world[4])
if take() == '1' and isFollowed and #writes > 0 then isSame = false end
local follows, told = take() == '1', tonumber(world[5] or '0')

if not isSame then
  local function presentOf(list)
    local present = {}
    for index, one in ipairs(list) do present[index] = one.present end
    return present
  end
  return {'conflict', presentOf(rules), presentOf(accounts), isFollowed and 1 or 0}
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
if #writes > 0 then
  local version = nextVersion(epoch .. ':v')
  redis.call('SET', epoch .. ':v', version)
  for _, one in ipairs(writes) do
    redis.call('SET', one.key, version .. ' ' .. one.rest)
    for _, change in ipairs(one.changes) do index(one.collection, change) end
  end
end

if follows then redis.call('HSET', base, 'followed', text(clock + ${FOLLOWED_LIFE})) end
local log, count = epoch .. ':events', tonumber(take())
for _ = 1, count do
  told = told + 1
  redis.call('XADD', log, 'MAXLEN', ${MAX_HAPPENED}, text(told) .. '-0', 'event', take())
end
if count > 0 then redis.call('HSET', base, 'told', text(told)) end
if count > 0 or follows then redis.call('PEXPIRE', log, ${FOLLOWED_LIFE}) end
if exchange == '' then return {'done'} end
local id = redis.call('HINCRBY', base, 'last', 1)
redis.call('XADD', base .. ':' .. (world[3] or name) .. ':journal', 'MAXLEN', size, text(id) .. '-0', 'exchange', exchange)
return {'done', text(id)}
`,
)
