import { bannedUntil } from '../access/ban.ts'
import { type Caller, isMetered, type MagicOutcome, type Plan } from '../access/callers.ts'
import type { QuotaWindows } from '../access/keys.ts'
import { DAY, MINUTE, UNUSED, usageAt, windowEnd } from '../access/quota.ts'
import type { WorldState } from '../engine/world-state.ts'
import { maskSecret } from '../journal/exchange.ts'
import { UsageError } from '../validation/usage-error.ts'

/** The requests of an account in the present minute or day. */
export interface AccountWindow {
  readonly used: number
  readonly limit: number
  readonly remaining: number
  /** The end of the window on the sandbox's clock, in ISO 8601. */
  readonly reset: string
}

/** What requests are counted on: an API key, another credential, or all callers without a valid credential. */
export interface Account {
  /** The name in paths of the control interface: the key itself, an id of another credential, or `(anonymous)`. */
  readonly account: string
  /** `unlisted` is a credential that is accepted although it is no key of the sandbox. */
  readonly kind: 'key' | 'unlisted' | 'anonymous'
  /** The key. Of an unlisted credential its last four characters. */
  readonly key?: string
  /** The `client` of its exchanges in the journal. Absent for `(anonymous)`. */
  readonly client?: string
  /** Absent in a sandbox without plans. */
  readonly plan?: Plan
  /** The outcome of every request with a magic key. */
  readonly always?: MagicOutcome
  /** The window of the UTC minute. Absent when no quota applies, like `day`. */
  readonly minute?: AccountWindow
  readonly day?: AccountWindow
  /** The present ban. */
  readonly ban?: {
    /** The end of the ban on the sandbox's clock, in ISO 8601. */
    readonly until: string
    /** The number of bans of this account, this one included. */
    readonly number: number
  }
}

/** The parts of a world's state that know its accounts. */
export type AccountState = Pick<WorldState, 'clock' | 'keys' | 'limits' | 'bans' | 'service'>

/** The state, with what was counted. It is read once, because reading copies it. */
type Reading = Pick<WorldState, 'clock' | 'keys' | 'service'> & {
  readonly usage: ReturnType<WorldState['limits']['read']>
  readonly bans: ReturnType<WorldState['bans']['read']>
}

/** The accounts of unlisted credentials that are listed at most, the newest. A client may send a new token with each request. */
const MAX_UNLISTED = 1000

/** The accounts of a world: its keys, then the other accounts that have sent requests. */
export function listAccounts(state: AccountState): readonly Account[] {
  const reading = readAll(state)
  return callersIn(reading).map((caller) => describe(reading, caller))
}

/** The caller of an account, by its name in a list of accounts or by its credential; `undefined` for an unknown one. */
export function findCaller(state: AccountState, name: string): Caller | undefined {
  const reading = readAll(state)
  return (
    callersIn(reading).find((caller) => nameOf(caller, reading) === name) ??
    allCallers(reading).find(({ account }) => account === name)
  )
}

/** What is known about the account of a caller at the present time. */
export function describeAccount(state: AccountState, caller: Caller): Account {
  return describe(readAll(state), caller)
}

function readAll({ clock, keys, service, limits, bans }: AccountState): Reading {
  return { clock, keys, service, usage: limits.read(), bans: bans.read() }
}

function describe(reading: Reading, caller: Caller): Account {
  const { account, plan, always } = caller
  const { service } = reading
  const kind = kindOf(caller)
  const key = kind === 'unlisted' ? maskSecret(account) : account

  return {
    account: nameOf(caller, reading),
    kind,
    ...(kind !== 'anonymous' && { key, client: service.clientOf(account) }),
    ...(plan && { plan: { ...plan } }),
    ...(always && { always }),
    ...windowsOf(reading, caller),
    ...banOf(reading, caller),
  }
}

function callersIn(reading: Reading): readonly Caller[] {
  const callers = allCallers(reading)
  const unlisted = callers.filter(({ isUnlisted }) => isUnlisted)
  const excess = new Set(unlisted.slice(0, -MAX_UNLISTED))

  return callers.filter((caller) => !excess.has(caller))
}

/** The callers with a key, then those whose requests were counted. */
function allCallers({ keys, usage, bans }: Reading): readonly Caller[] {
  const { callers } = keys
  const listed = keys.list().map(({ key }) => key)
  // A removed key has an account without requests.
  const counted = [...usage].filter(([, { day }]) => day.window > 0)
  const seen = [...counted.map(([account]) => account), ...bans.keys()]
  const accounts = new Set([...listed, ...seen])

  return [...accounts].flatMap((account) => {
    if (account === callers.everyone.account) return [callers.everyone]
    const caller = callers.by(account)
    return caller.account === account ? [caller] : []
  })
}

/** A name without the credential, so that it can be in addresses and on screens. */
function nameOf({ account, isUnlisted }: Caller, { service }: Pick<Reading, 'service'>): string {
  return isUnlisted ? `unlisted-${service.clientOf(account)}` : account
}

function kindOf({ isUnlisted, credential }: Caller): Account['kind'] {
  if (isUnlisted) return 'unlisted'
  return credential === undefined ? 'anonymous' : 'key'
}

function windowsOf(
  { clock, usage, service }: Reading,
  caller: Caller,
): Pick<Account, 'minute' | 'day'> {
  if (!(isMetered(caller) && (service.settings.quota || caller.always))) return {}
  const now = clock.now()
  const { minute, day } = usageAt(usage.get(caller.account) ?? UNUSED, caller, now)
  const window = (used: number, limit: number, length: number): AccountWindow => ({
    used,
    limit,
    remaining: Math.max(0, limit - used),
    reset: toIso(windowEnd(now, length)),
  })

  return {
    minute: window(minute.used, caller.plan.minute, MINUTE),
    day: window(day.used, caller.plan.day, DAY),
  }
}

function banOf({ clock, bans, service }: Reading, caller: Caller): Pick<Account, 'ban'> {
  const history = bans.get(caller.account)
  const until = bannedUntil(history, caller, service.settings.ban, clock.now())
  if (until === undefined) return {}

  return { ban: { until: toIso(until), number: Math.max(1, history?.bans ?? 0) } }
}

function toIso(time: number): string {
  return new Date(time).toISOString()
}

/** The requests that an account may still send in each window. A window that is left out stays as it is. */
export type RemainingRequests = QuotaWindows

/**
 * Sets the requests that an account may still send in the present windows. Throws a UsageError for more requests than the plan
 * has, for a magic key, whose window is always spent, and for an account without quota.
 */
export function setRemaining(
  { clock, limits, service }: AccountState,
  caller: Caller,
  remaining: RemainingRequests,
): void {
  const { account, always } = caller
  if (!isMetered(caller) || !service.settings.quota) throw cannotSet(NO_QUOTA)
  if (always) throw cannotSet([`every request with this key is ${always}`, 'Use another key.'])
  // Counts nothing, but keeps the account.
  limits.count(caller, clock.now(), 0)
  const usage = usageAt(limits.read().get(account) ?? UNUSED, caller, clock.now())
  const {
    minute = caller.plan.minute - usage.minute.used,
    day = caller.plan.day - usage.day.used,
  } = remaining
  limits.put(account, {
    minute: { ...usage.minute, used: usedOf('minute', minute, caller.plan.minute) },
    day: { ...usage.day, used: usedOf('day', day, caller.plan.day) },
  })
}

/** Ends the ban of an account, if it has one. The number of its bans stays, so that the next one is longer. */
export function liftBan({ bans }: AccountState, { account, always }: Caller): void {
  if (always === 'banned') {
    throw new UsageError({
      code: 'invalid_option',
      task: 'lift the ban',
      reason: 'this key is always banned',
      help: 'Use another key.',
    })
  }
  const history = bans.read().get(account)
  if (history) bans.put(account, { ...history, row: 0, retryAt: 0, until: 0 })
}

type Refusal = readonly [reason: string, help: string]

const NO_QUOTA: Refusal = ['no quota applies to the account', 'Start the sandbox with a plan.']

function usedOf(window: keyof QuotaWindows, remaining: number, limit: number): number {
  if (remaining <= limit) return limit - remaining
  throw cannotSet(
    [`the plan allows ${limit} requests per ${window} (got ${remaining})`, 'Give fewer requests.'],
    `body.${window}`,
  )
}

function cannotSet([reason, help]: Refusal, location?: string): UsageError {
  return new UsageError({
    code: 'invalid_option',
    task: 'set the remaining requests',
    reason,
    help,
    location,
  })
}
