import { isRule, RULE_NAMES, RULES, type Rule, type Severity, type Violation } from './rules.ts'

/** All violations of one rule, on one operation and with one API key. */
export interface Finding {
  readonly rule: Rule
  readonly severity: Severity
  /** Absent for requests that match no operation. */
  readonly operation?: string
  /** The last characters of the API key, or `no key`. A second key with the same ones has a number: `…test (2)`. */
  readonly key: string
  readonly message: string
  /** The document or RFC that the rule comes from. */
  readonly clause: string
  /** The ids of the exchanges that violate the rule. */
  readonly entries: readonly string[]
  /** The number of violations. */
  readonly count: number
  /** Whether this finding makes the report fail. */
  readonly fails: boolean
}

/** Groups violations into findings, most severe first. */
export function toFindings(
  violations: readonly Violation[],
  wanted: ReadonlySet<string>,
  failing: ReadonlySet<string>,
): readonly Finding[] {
  const groups = new Map<string, Violation[]>()
  for (const violation of violations.filter(({ rule }) => wanted.has(rule))) {
    const { rule, entry } = violation
    const name = JSON.stringify([rule, entry.operation, entry.key])
    const group = groups.get(name) ?? []
    group.push(violation)
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
