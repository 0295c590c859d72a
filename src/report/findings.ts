import { isRule, RULE_NAMES, RULES, type Rule, type Severity, type Violation } from './rules.ts'

/** How a client broke a rule, on one operation and with one key. */
export interface Finding {
  readonly rule: Rule
  readonly severity: Severity
  /** Absent for requests that no operation is for. */
  readonly operation?: string
  /** The end of the API key, or `no key`. */
  readonly key: string
  readonly message: string
  /** What of the specification it breaks. */
  readonly clause: string
  /** The ids of the entries that show it. */
  readonly entries: readonly string[]
  /** How often. */
  readonly count: number
  /** Whether it makes the report fail. */
  readonly fails: boolean
}

/** What was seen as findings, the worst first. */
export function toFindings(
  sightings: readonly Violation[],
  wanted: ReadonlySet<string>,
  failing: ReadonlySet<string>,
): readonly Finding[] {
  const groups = new Map<string, Violation[]>()
  for (const sighting of sightings.filter(({ rule }) => wanted.has(rule))) {
    const { rule, entry } = sighting
    const name = JSON.stringify([rule, entry.operation, entry.key])
    const group = groups.get(name) ?? []
    group.push(sighting)
    groups.set(name, group)
  }
  const findings = [...groups.values()].flatMap((group) => toFinding(group, failing))

  return RULE_NAMES.filter(isRule).flatMap((rule) => findings.filter((one) => one.rule === rule))
}

function toFinding(group: readonly Violation[], failing: ReadonlySet<string>): readonly Finding[] {
  const [first] = group
  if (!first) return []
  const { rule, entry } = first
  const { severity, clause, message } = RULES[rule]

  return [
    {
      rule,
      severity,
      ...(entry.operation !== undefined && { operation: entry.operation }),
      key: entry.key,
      message: message(group),
      clause,
      entries: [...new Set(group.map((one) => one.entry.id))],
      count: group.length,
      fails: failing.has(rule),
    },
  ]
}
