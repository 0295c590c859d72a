import type { Command } from 'commander'
import { checkReportOptions, type ReportOptions } from '../../report/report.ts'
import { checkRuleNames } from '../../report/rule-names.ts'
import { isRule, RULE_NAMES, RULES, type Severity } from '../../report/rules.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { collect } from '../collect.ts'

/** What a report looks for, what makes it fail, and where it goes, as the command line gives it. */
export interface Choices {
  readonly failOn?: readonly string[]
  readonly ignore?: readonly string[]
  readonly minCoverage?: number
  readonly plans?: boolean
  readonly json?: string
  readonly junit?: string
  readonly html?: string
  readonly github?: boolean
}

/** What `--help` says of rules. */
export const RULES_NOTE: string = `
Rules, for --fail-on and --ignore:
  errors    ${namesOf('error')}
  warnings  ${namesOf('warning')}
  notes     ${namesOf('note')}
  errors, warnings (errors, too), all and none stand for several.`

function namesOf(severity: Severity): string {
  return RULE_NAMES.filter((rule) => isRule(rule) && RULES[rule].severity === severity).join('  ')
}

/** The options of a report. */
export function withChoices(command: Command): Command {
  return command
    .option(
      '--fail-on <rules>',
      'what makes it fail, as early-retry,deprecated (default: errors)',
      words,
    )
    .option('--ignore <rules>', 'what is not looked for, as page-twice', words)
    .option('--min-coverage <percent>', 'fail when less of the contract was met', percentage)
    .option('--plans', 'replay the traffic on every plan, and tell which is enough')
    .option('--json <file>', 'write it as JSON; - for standard output')
    .option('--junit <file>', 'write it as JUnit XML; - for standard output')
    .option('--html <file>', 'write it as one page, with a timeline; - for standard output')
    .option('--github', 'annotate the GitHub workflow, and write the summary of its job')
}

/** The choices as a report takes them. Throws a UsageError for those that are wrong. */
export function toReportOptions({ failOn, ignore, minCoverage }: Choices): ReportOptions {
  const options = {
    ...(failOn && { failOn: checkRuleNames(failOn) }),
    ...(ignore && { ignore: checkRuleNames(ignore) }),
    ...(minCoverage !== undefined && { minCoverage }),
  }
  checkReportOptions(options)
  return options
}

function words(text: string, earlier: readonly string[] = []): readonly string[] {
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .reduce((all, word) => collect(word, all), earlier)
}

function percentage(text: string): number {
  const percent = /^\d{1,3}%?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN
  if (percent <= 100) return percent
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option --min-coverage',
    reason: `it must be an integer from 0 to 100 (got "${text}")`,
  })
}
