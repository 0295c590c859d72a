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
 * epoch milliseconds, at which the script may run, or empty. The first item of each reply is the time of the store.
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
local position = 1
-- The next argument.
local function take()
  position = position + 1
  return ARGV[position]
end
`

/** Creates a script. `corrupt(key)` is its reply when it cannot read a value. */
export function storeScript(name: string, flags: Flags, body: string): StoreScript {
  const lua = `#!lua${FLAGS[flags]}\n${START}${body}`
  return { name, lua, sha: createHash('sha1').update(lua).digest('hex') }
}
