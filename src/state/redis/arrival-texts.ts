import type { ArrivalResult, StoredArrival } from '../stored-arrival.ts'
import type { StoredAccount, WorldConfig } from '../stored-state.ts'
import { readRules } from './read-rules.ts'
import { numberIn, textIn } from './reply.ts'
import { corruptValue } from './store-errors.ts'
import { readAccount } from './stored-texts.ts'

/** The arguments of the script `arrive`, in the order in which it takes them. */
export function arrivalArguments({
  epoch,
  version,
  account,
  count,
  rules,
}: StoredArrival): readonly (string | number)[] {
  const { ban } = count ?? {}
  const counting = count
    ? [
        count.account,
        1,
        count.plan.minute,
        count.plan.day,
        count.always ?? '',
        count.cost,
        count.isEnforced ? 1 : 0,
        count.isUnlisted ? 1 : 0,
        ban?.refusals ?? '',
        ban?.seconds ?? '',
        ban?.factor ?? '',
        ban?.maxSeconds ?? '',
        count.isAdmitted ? 1 : 0,
      ]
    : [account, 0]

  return [epoch, version, ...counting, ...rules]
}

/** Reads the reply of the script `arrive`. */
export function readArrival(reply: readonly unknown[], key: string): ArrivalResult {
  const [kind, ...rest] = reply
  if (kind === 'missing') return { kind, storeTime: numberIn(rest[0], key) }
  if (kind === 'stale') return { kind, config: readConfig(rest, key) }
  const [now, last, before, after, random, ...rules] = rest

  return {
    kind: 'arrived',
    arrived: {
      now: numberIn(now, key),
      last: numberIn(last, key),
      before: accountIn(before, key),
      after: accountIn(after, key),
      rules: readRules(rules, key),
      random: numberIn(random, key),
    },
  }
}

/** Reads epoch, version and text of a configuration. */
export function readConfig(values: readonly unknown[], key: string): WorldConfig {
  const [epoch, version, text] = values
  return { epoch: textIn(epoch, key), version: numberIn(version, key), text: textIn(text, key) }
}

/** Reads an account. */
export function accountIn(value: unknown, key: string): StoredAccount {
  const account = readAccount(textIn(value, key))
  if (!account) throw corruptValue(key)

  return account
}
