import { type StoreScript, storeScript } from '../store-script.ts'

/**
 * Calls every command that is used, on keys that nobody else uses. A user that lacks the right to one of them would fail in the
 * middle of a change. Replies with nothing, or with the error `NOPERM`.
 */
export const PROBE: StoreScript = storeScript(
  'probe',
  'writes',
  `
local key = {}
for _, kind in ipairs({'text', 'hash', 'set', 'sorted', 'list', 'stream'}) do
  key[kind] = base .. ':' .. kind
end
local commands = {
  {'TIME'}, {'EXISTS', key.text}, {'SET', key.text, '1'}, {'GET', key.text}, {'INCR', key.text},
  {'HSET', key.hash, 'a', '1'}, {'HSETNX', key.hash, 'a', '1'}, {'HINCRBY', key.hash, 'a', '1'},
  {'HGET', key.hash, 'a'}, {'HMGET', key.hash, 'a'}, {'HGETALL', key.hash},
  {'HEXISTS', key.hash, 'a'}, {'HDEL', key.hash, 'b'},
  {'SADD', key.set, 'a'}, {'SCARD', key.set}, {'SMEMBERS', key.set}, {'SRANDMEMBER', key.set},
  {'SREM', key.set, 'b'},
  {'ZADD', key.sorted, '1', 'a'}, {'ZCARD', key.sorted}, {'ZCOUNT', key.sorted, '0', '1'},
  {'ZRANGE', key.sorted, '0', '0'}, {'ZRANGEBYSCORE', key.sorted, '0', '1'},
  {'ZSCORE', key.sorted, 'a'}, {'ZREM', key.sorted, 'b'},
  {'ZINTERCARD', '1', key.sorted}, {'ZREMRANGEBYRANK', key.sorted, '1', '1'},
  {'ZPOPMIN', key.sorted}, {'RPUSH', key.list, 'a'}, {'LTRIM', key.list, '0', '0'},
  {'LRANGE', key.list, '0', '0'},
  {'XADD', key.stream, '1-1', 'a', '1'}, {'XLEN', key.stream}, {'XRANGE', key.stream, '-', '+'},
  {'XREAD', 'COUNT', '1', 'STREAMS', key.stream, '0'}, {'XTRIM', key.stream, 'MAXLEN', '0'},
  {'PEXPIRE', key.hash, '60000'}, {'DEL', key.text},
  {'UNLINK', key.text, key.hash, key.set, key.sorted, key.list, key.stream},
}
local hasFailed = false
for _, command in ipairs(commands) do
  local reply = redis.pcall(unpack(command))
  if type(reply) == 'table' and reply.err then hasFailed = true end
end
if hasFailed then return redis.error_reply('NOPERM to a command of a script') end
return {time}
`,
)
