import { type Caller, isMetered } from '../../access/caller.ts'
import { identify } from '../../access/identify.ts'
import type { Keys } from '../../access/keys.ts'
import type { Match } from '../../contract/router.ts'
import { isImplicitOptions } from '../../engine/implicit-options.ts'
import { isAdmittedTo } from '../../engine/is-admitted.ts'
import { attempt } from '../../engine/served.ts'
import type { Service } from '../../engine/service.ts'
import { matchesRule } from '../../forcing/decide-forced.ts'
import type { CoreRequest } from '../../http/message.ts'
import { Problem } from '../../http/problem.ts'
import type { StoredArrival } from '../../state/stored-arrival.ts'
import type { PreparedConfiguration, PreparedRule } from './prepared-configuration.ts'

/** What is known about a request before anything of its world is loaded. */
export interface RequestPlan {
  readonly caller: Caller
  /** Absent when no operation matches, and for a preflight. */
  readonly match?: Match | undefined
  /** The rules that match, in the order of their ids. */
  readonly rules: readonly PreparedRule[]
  /** Whether the request may create its world, and counts as a use of it. */
  readonly mayCreate: boolean
  /** Whether the request probably reaches admission. */
  readonly isAdmitted: boolean
  /** Whether it is admitted when it is counted; else when it is committed, as something may refuse it before. */
  readonly isAdmittedAtOnce: boolean
  readonly cost: 0 | 1
}

/** Plans a request by a configuration, whose keys may be those of another world. */
export function planRequest(
  request: CoreRequest,
  configuration: PreparedConfiguration,
  service: Service,
  { callers }: Keys = configuration.keys,
): RequestPlan {
  const { access, router } = service
  const caller = identify(request, callers, access.rules.schemes)
  const mayCreate = isAdmittedTo(undefined, request, caller, access.rules)
  const unmatched = { caller, rules: [], mayCreate, isAdmitted: false, isAdmittedAtOnce: false }
  if (isImplicitOptions(request, router)) return { ...unmatched, cost: 0 }
  const match = attempt(() => router.match(request.method, request.path, request))
  if (match instanceof Problem) return { ...unmatched, cost: 1 }
  const { operation } = match
  const forcible = { path: request.path, operation, account: caller.account }
  const rules = [...configuration.rules.values()].filter((rule) => matchesRule(rule, forcible))
  const isAdmitted = isAdmittedTo(operation, request, caller, access.rules)
  const mayBeRefused =
    request.header('prefer') !== undefined ||
    operation.deprecation?.sunset !== undefined ||
    rules.some(({ saved }) => saved.outcome !== 'slow')

  return {
    caller,
    match,
    rules,
    mayCreate: isAdmitted,
    isAdmitted,
    isAdmittedAtOnce: isAdmitted && !mayBeRefused,
    cost: 1,
  }
}

/** Plans what has no request, or one that could not be read: it has no key. */
export function planWithoutKey({ callers }: Keys, cost: 0 | 1): RequestPlan {
  const { plan: quota, ...free } = callers.by(undefined)
  // Without a plan, nothing is counted: the account of callers without a key begins with their first request.
  const caller = cost === 0 || !quota ? free : { ...free, plan: quota }

  return {
    caller,
    rules: [],
    mayCreate: true,
    isAdmitted: false,
    isAdmittedAtOnce: false,
    cost,
  }
}

/** A planned request as it arrives at the store. */
export function toArrival(
  { caller, rules, isAdmittedAtOnce, cost }: RequestPlan,
  { epoch, version }: PreparedConfiguration,
  { settings }: Service,
): StoredArrival {
  const { account, always, isUnlisted = false } = caller
  const count = isMetered(caller) && {
    account,
    plan: { minute: caller.plan.minute, day: caller.plan.day },
    ...(always && { always }),
    cost,
    isEnforced: settings.quota,
    isUnlisted,
    ...(settings.ban && { ban: settings.ban }),
    isAdmitted: isAdmittedAtOnce,
  }
  return { epoch, version, account, rules: rules.map(({ id }) => id), ...(count && { count }) }
}
