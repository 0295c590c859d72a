import { type StoreScript, storeScript } from '../store-script.ts'
import { PENDING_LIFE } from './begin.ts'

/** Everything of a world but the records and the journal; also the number of epochs that are to be removed. */
export const LOAD: StoreScript = storeScript(
  'load',
  'reads',
  `
local world = redis.call('HMGET', base, 'epoch', 'version', 'text', 'offset', 'frozen', 'random', 'last')
if not world[1] then return {time, 'missing'} end
local epoch = base .. ':' .. world[1]
return {time, 'loaded', time, world, redis.call('HGETALL', epoch .. ':accounts'),
  redis.call('ZRANGE', epoch .. ':order', 0, -1), redis.call('HGETALL', epoch .. ':rules'),
  redis.call('SCARD', base .. ':retired')
    + redis.call('ZCOUNT', base .. ':pending', '-inf', clock - ${PENDING_LIFE})}
`,
)

/** The exchanges of the present journal after an id, up to a number of them. */
export const READ_JOURNAL: StoreScript = storeScript(
  'read journal',
  'reads',
  `
local world = redis.call('HMGET', base, 'epoch', 'journal')
if not world[1] then return {time} end
local after, limit = take(), take()
return {time, redis.call('XRANGE', base .. ':' .. (world[2] or world[1]) .. ':journal', '(' .. after .. '-0', '+',
  'COUNT', limit)}
`,
)
