import { ORDER, type Probe } from './probes/probe.ts'
import type { VerifySettings } from './session/options.ts'

/** What the probes at a place of the order check, in the words of the list of what was left out. */
const KINDS: Readonly<Record<keyof typeof ORDER, string>> = {
  list: 'lists',
  authentication: 'credentials',
  longestList: 'page sizes',
  filter: 'filters',
  readListed: 'reads',
  readAbsent: 'unknown ids',
  stateless: 'other operations',
  statelessPost: 'other operations',
  create: 'creations',
  missingProperty: 'missing properties',
  shortList: 'page sizes',
  createComplete: 'creations',
  valueOutOfRange: 'invalid parameters',
  invalidBody: 'invalid bodies',
  boundaryValue: 'values at the limits',
  change: 'changes',
  statelessChange: 'other operations',
  fallback: 'other operations',
  otherAuthentication: 'credentials',
  refusal: 'invalid requests',
  unusualValue: 'unusual values',
  largeInteger: 'large integers and conflicts',
  otherKey: 'records of another key',
  rejectedChange: 'invalid changes',
  pages: 'pages, filters and orders',
  decidedRejection: 'decisions about parameters',
  unknownRoute: 'unknown paths',
  mediaTypeAndSize: 'media types and sizes',
  otherKeyRemoval: 'records of another key',
  remove: 'removals',
  statelessRemoval: 'other operations',
  fallbackRemoval: 'other operations',
  quota: 'the quota',
}

/** What a probe checks, in words. */
export function kindOf({ order }: Pick<Probe, 'order'>): string {
  const name = PLACES.findLast((one) => Math.ceil(order) >= ORDER[one])
  return name === undefined ? KINDS.list : KINDS[name]
}

const PLACES: readonly (keyof typeof ORDER)[] = [
  ...(['list', 'authentication', 'longestList', 'filter', 'readListed', 'readAbsent'] as const),
  ...(['stateless', 'statelessPost', 'create', 'missingProperty', 'shortList'] as const),
  ...(['createComplete', 'valueOutOfRange', 'invalidBody', 'boundaryValue', 'change'] as const),
  ...(['statelessChange', 'fallback', 'otherAuthentication', 'refusal', 'unusualValue'] as const),
  ...(['largeInteger', 'otherKey', 'rejectedChange', 'pages', 'decidedRejection'] as const),
  ...(['unknownRoute', 'mediaTypeAndSize', 'otherKeyRemoval', 'remove'] as const),
  ...(['statelessRemoval', 'fallbackRemoval', 'quota'] as const),
]

/** The limits of the budget that a plan gets: in requests, for each operation and in all. */
const BUDGET = { minimum: 60, minimumWithExhaust: 200, perOperation: 80, maximum: 10_000 } as const

/** How many more requests a plan needs for the records that its probes are about. */
const WITH_RECORDS = 1.25

/** As many requests as a plan needs, within limits. */
export function neededBudget(
  probes: readonly Probe[],
  operations: number,
  { exhaust }: Pick<VerifySettings, 'exhaust'>,
): number {
  const { minimum, minimumWithExhaust, perOperation, maximum } = BUDGET
  const sum = probes.reduce((before, { maxRequests }) => before + maxRequests, 0)
  // Records above others, and those that others refer to, are created besides.
  const needed = Math.ceil(sum * WITH_RECORDS)
  const most = Math.min(maximum, perOperation * operations)

  return Math.max(exhaust ? minimumWithExhaust : minimum, Math.min(needed, most))
}

/**
 * The probes in the order in which a budget is spent on them: lists, credentials, reads and the first one of each operation, then one
 * of each kind for each operation, then the second of each, and so on.
 */
export function byValue(probes: readonly Probe[]): readonly Probe[] {
  const seen = new Set<string>()
  const counts = new Map<string, number>()
  const ranked = probes.map((probe, at) => {
    const operation = probe.checks[0]?.operation ?? ''
    const key = `${kindOf(probe)} ${operation}`
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    const isFirst = operation !== '' && !(seen.has(operation) || probe.isFallback)
    seen.add(operation)
    // Lists, credentials and reads say most.
    const isBasic = probe.order <= ORDER.readAbsent
    return { probe, at, rank: isFirst || isBasic ? 0 : count + 1 }
  })
  return ranked
    .sort((one, other) => one.rank - other.rank || one.at - other.at)
    .map(({ probe }) => probe)
}

/** The most valuable probes that a budget allows; those without a need of requests are among them. */
export function chooseProbes(probes: readonly Probe[], budget: number): ReadonlySet<Probe> {
  let left = budget
  const chosen = byValue(probes).filter(({ maxRequests, order, isFallback }) => {
    // A fallback is usually not needed, and the quota is the last.
    if (isFallback || order >= ORDER.quota) return true
    left -= maxRequests
    return left >= 0
  })
  return new Set(chosen)
}
