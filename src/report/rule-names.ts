import { UsageError, unknownName } from '../validation/usage-error.ts'
import { isRule, RULE_NAMES, RULES, type Rule, type Severity } from './rules.ts'

/** The name of a group of rules. */
type RuleGroup = 'none' | 'errors' | 'warnings' | 'all'

/** The name of a rule or of a group of rules. */
export type RuleName = Rule | RuleGroup

const GROUPS: Readonly<Record<RuleGroup, readonly Severity[]>> = {
  none: [],
  errors: ['error'],
  warnings: ['error', 'warning'],
  all: ['error', 'warning', 'note'],
}

/** Checks names of rules and groups. Throws a UsageError for the first unknown name. */
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

/** The rules with these names. `warnings` includes errors. Throws a UsageError for an unknown name. */
export function toRules(names: readonly string[]): ReadonlySet<Rule> {
  const rules = checkRuleNames(names).flatMap((name) => {
    if (isRule(name)) return [name]
    const severities = GROUPS[name]
    return RULE_NAMES.filter(isRule).filter((rule) => severities.includes(RULES[rule].severity))
  })
  return new Set(rules)
}
