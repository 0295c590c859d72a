import { type StoreScript, storeScript } from '../store-script.ts'
import { ACCOUNT_ORDER } from './account-order.ts'
import { MEMBER_ID } from './member-id.ts'

/** How long the journal of an ended epoch is kept, in milliseconds: the marker at its end wakes its followers at once. */
const MARKER_LIFE = 10_000

/** An epoch whose records were written, and which has not begun for so many milliseconds after that, never begins. */
export const PENDING_LIFE: number = 600_000

/** Ends the present journal. The marker at its end wakes those that follow it. */
const END_JOURNAL = `
local function endJournal(begun, last)
  local journal = base .. ':' .. begun .. ':journal'
  redis.call('XADD', journal, last .. '-1', 'end', '1')
  redis.call('PEXPIRE', journal, ${MARKER_LIFE})
end
`

/**
 * Replaces the present epoch, if it is the expected one. Replies 1, or 0 when it is another one. A journal has the name of the epoch in
 * which it began. Only a world that has gone on with one since has the field `journal`.
 */
export const BEGIN: StoreScript = storeScript(
  'begin',
  'writes',
  `${END_JOURNAL}${ACCOUNT_ORDER}
local world = redis.call('HMGET', base, 'epoch', 'last', 'journal')
if (world[1] or '') ~= take() then return {time, 0} end
local epoch = take()
local journal, last = false, '0'
if take() == '1' and world[1] then
  journal, last = world[3] or world[1], world[2]
elseif world[1] then
  endJournal(world[3] or world[1], world[2])
end
if world[1] then redis.call('SADD', base .. ':retired', world[1]) end
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
return {time, 1}
`,
)

/** Deletes a world. Replies 1, or 0 when it does not exist. */
export const DELETE: StoreScript = storeScript(
  'delete',
  'frees',
  `${END_JOURNAL}
local world = redis.call('HMGET', base, 'epoch', 'last', 'journal')
if not world[1] then return {time, 0} end
endJournal(world[3] or world[1], world[2])
redis.call('SADD', base .. ':retired', world[1])
redis.call('DEL', base)
return {time, 1}
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
if not epoch then return {time, 0} end
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
  return {time, 1}
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
return {time, 1}
`,
)
