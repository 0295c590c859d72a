import { type StoreScript, storeScript } from '../store-script.ts'
import { ACCOUNT_ORDER } from './account-order.ts'

/**
 * Loads what a request depends on, and counts the request as `decideQuota` and `decideAdmission` do. Replies `missing` with the time; `stale` with
 * epoch, version and text; or `arrived` with now, last, the account before and after, random, and the rules.
 */
export const ARRIVE: StoreScript = storeScript(
  'arrive',
  'writes',
  `${ACCOUNT_ORDER}
local MINUTE, DAY, MAX_TIME, MAX_UNLISTED = 60000, 86400000, 253402300799999, 10000
local world = redis.call('HMGET', base, 'epoch', 'version', 'offset', 'frozen', 'random', 'last')
if not world[1] then return {time, 'missing', time} end
if world[1] ~= take() or world[2] ~= take() then
  return {time, 'stale', world[1], world[2], redis.call('HGET', base, 'text')}
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

local reply = {time, 'arrived', text(now), world[6], before, after, world[5]}
for rule = position + 1, #ARGV do
  reply[#reply + 1] = redis.call('HGET', epoch .. ':rules', ARGV[rule])
end
return reply
`,
)
