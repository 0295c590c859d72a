import type { Usage } from '../access/quota.ts'
import { untilKept } from './contention.ts'
import { areEqual } from './state-changes.ts'
import type { Arrived, StoredAccount, StoredWorld } from './world-store.ts'

/** Takes back what the arrival of a request has counted, because the request belongs to another world. */
export async function withdrawArrival(
  stored: StoredWorld,
  epoch: string,
  account: string,
  arrived: Arrived,
): Promise<void> {
  let present = arrived.after
  await untilKept(stored.name, async () => {
    const after = withoutArrival(present, arrived)
    if (areEqual(present, after)) return true
    const accounts = [{ key: account, before: present, after }]
    const result = await stored.commit({ epoch, accounts })
    if (result.kind === 'done' || result.kind === 'past') return true
    present = result.accounts?.[0] ?? {}
    return undefined
  })
}

/** An account as it is without a request that has arrived. */
export function withoutArrival(
  present: StoredAccount,
  { before, after }: Pick<Arrived, 'before' | 'after'>,
): StoredAccount {
  if (areEqual(present, after)) return before
  const { usage, history } = present
  const counted = usage && after.usage && withoutCount(usage, before.usage, after.usage)
  // Refusals and bans that others have caused meanwhile stay.
  const kept = areEqual(history, after.history) ? before.history : history

  return { ...(usage && { usage: counted ?? usage }), ...(kept && { history: kept }) }
}

function withoutCount(present: Usage, before: Usage | undefined, after: Usage): Usage {
  return {
    minute: withoutCountIn(present.minute, before?.minute, after.minute),
    day: withoutCountIn(present.day, before?.day, after.day),
  }
}

/** A window without what the request has added. In a later window, it has added nothing. */
function withoutCountIn(
  present: Usage['minute'],
  before: Usage['minute'] | undefined,
  after: Usage['minute'],
): Usage['minute'] {
  if (present.window !== after.window) return present
  const added = after.used - (before?.window === after.window ? before.used : 0)

  return { ...present, used: Math.max(0, present.used - added) }
}
