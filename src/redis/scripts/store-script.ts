import { createHash } from 'node:crypto'

/** A script that runs in the store. */
export interface StoreScript {
  readonly name: string
  readonly lua: string
  /** What the store knows a script by. */
  readonly sha: string
}

/**
 * `reads`: the script writes nothing, and runs in a full store. `frees`: it only removes, and runs in a full store. Else the store
 * refuses the whole script when it is full.
 */
type Flags = 'reads' | 'frees' | 'writes'

const FLAGS = { reads: ' flags=no-writes', frees: ' flags=allow-oom', writes: '' }

/**
 * What each script starts with. KEYS[1] is the key from which the others are derived. ARGV[1] is the latest time of the store, in
 * epoch milliseconds, at which the script may run, or empty. The arguments of the calls follow, each with their count before them.
 */
const START = `
local base = KEYS[1]
local seconds = redis.call('TIME')
local clock = seconds[1] * 1000 + math.floor(seconds[2] / 1000)
-- Lua would write 15 digits at most.
local function text(number) return string.format('%.17g', number) end
local time = text(clock)
local function corrupt(key) return redis.error_reply('CORRUPT ' .. key) end
if ARGV[1] ~= '' and clock > tonumber(ARGV[1]) then return {time, 'expired'} end
local position, last = 1, 1
-- The next argument.
local function take()
  position = position + 1
  return ARGV[position]
end
local function run()
`

/** Runs the script for each call. A call that fails prevents no other one. The reply is the time of the store, and those of the calls. */
const END = `
end
local replies = {time}
while last < #ARGV do
  position = last + 1
  last = position + tonumber(ARGV[position])
  local isDone, reply = pcall(run)
  if not isDone and type(reply) ~= 'table' then
    -- An error of a command begins with its code, and one of the script does not.
    reply = redis.error_reply(string.find(reply, '^%u+ ') and reply or 'ERR ' .. tostring(reply))
  end
  replies[#replies + 1] = reply
end
return replies
`

/** Creates a script. Its body takes the arguments of one call, and returns a list. `corrupt(key)` is its reply when it cannot read a value. */
export function storeScript(name: string, flags: Flags, body: string): StoreScript {
  const lua = `#!lua${FLAGS[flags]}\n${START}${body}${END}`
  return { name, lua, sha: createHash('sha1').update(lua).digest('hex') }
}
