/**
 * The order of accounts, which a hash does not have: by their first request, and before it by their first ban. `moveToEnd(key, member)`
 * makes a member the last one of a sorted set.
 */
export const ACCOUNT_ORDER = `
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
