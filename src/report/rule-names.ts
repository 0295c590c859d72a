import { UsageError, unknownName } from '../validation/usage-error.ts'
import { isRule, RULE_NAMES, RULES, type Rule, type Severity } from './rules.ts'

/** Groups of rules, as thresholds may name them. */
type RuleGroup = 'none' | 'errors' | 'warnings' | 'all'

/** A rule, or a group of rules. */
export type RuleName = Rule | RuleGroup

const GROUPS: Readonly<Record<RuleGroup, readonly Severity[]>> = {
  none: [],
  errors: ['error'],
  warnings: ['error', 'warning'],
  all: ['error', 'warning', 'note'],
}

/** The names, once each of them is known. Throws a UsageError for the first that is not. */
export function checkRuleNames(names: readonly string[]): readonly RuleName[] {
  return names.map((name) => {
    if (isRule(name) || isGroup(name)) return name
    const known = [...RULE_NAMES, ...Object.keys(GROUPS)]
    throw new UsageError({
      code: 'unknown_rule',
      task: 'select the rules of the report',
      ...unknownName('rule', name, known),
    })
  })
}

function isGroup(name: string): name is RuleGroup {
  return Object.hasOwn(GROUPS, name)
}

/** The rules that names stand for: `errors`, `warnings` (errors, too), `all`, `none`, or rules themselves. Throws a UsageError. */
export function toRules(names: readonly string[]): ReadonlySet<Rule> {
  const rules = checkRuleNames(names).flatMap((name) => {
    if (isRule(name)) return [name]
    const severities = GROUPS[name]
    return RULE_NAMES.filter(isRule).filter((rule) => severities.includes(RULES[rule].severity))
  })
  return new Set(rules)
}
