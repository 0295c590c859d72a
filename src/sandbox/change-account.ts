import { type Caller, isMetered } from '../access/caller.ts'
import type { QuotaWindows } from '../access/keys.ts'
import { UNUSED, usageAt } from '../access/quota.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { AccountState } from './accounts.ts'

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
