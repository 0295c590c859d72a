import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { toAnnotations, toSummary } from '../report/github.ts'
import { checkReportOptions, type Report, type ReportOptions } from '../report/report.ts'
import {
  checkRuleNames,
  RECEIVER_RULE_NAMES,
  RULE_NAMES,
  RULES,
  type Severity,
} from '../report/rules.ts'
import { toText } from '../report/text.ts'
import { UsageError } from '../validation/usage-error.ts'
import { collect } from './setting-options.ts'
import { refusedBySystem, systemErrorCode } from './system-error.ts'
import { painter } from './terminal.ts'

/** The report options of the command line. */
export interface ReportFlags {
  readonly failOn?: readonly string[]
  readonly ignore?: readonly string[]
  readonly minCoverage?: number
  readonly coverageOf?: readonly string[]
  readonly plans?: boolean
  readonly json?: string
  readonly junit?: string
  readonly html?: string
  readonly github?: boolean
}

/** The part of the help about rules. */
export const RULES_NOTE: string = `
Rules for --fail-on and --ignore:
  errors    ${namesOf('error')}
            ${RECEIVER_RULE_NAMES.join('  ')} (receivers of events)
  warnings  ${namesOf('warning')}
  notes     ${namesOf('note')}
  groups    errors  warnings (includes errors)  all  none`

function namesOf(severity: Severity): string {
  return RULE_NAMES.filter((rule) => RULES[rule].severity === severity).join('  ')
}

/** Adds the options of a report. */
export function addReportOptions(command: Command): Command {
  return command
    .optionsGroup('Report:')
    .option(
      '--fail-on <rules>',
      'rules that make the report fail, for example early-retry,deprecated (default: errors)',
      words,
    )
    .option('--ignore <rules>', 'rules to ignore, for example page-twice', words)
    .option(
      '--min-coverage <percent>',
      'fail if the requests cover less of the contract',
      percentage,
    )
    .option(
      '--coverage-of <operations>',
      'measure the coverage of these operations only, for example listPets,getPet; "used" for those that the client used',
      words,
    )
    .option('--plans', 'replay the requests on every plan, and show which plan is sufficient')
    .option('--json <file>', 'write the report as JSON (-: standard output)')
    .option('--junit <file>', 'write the report as JUnit XML (-: standard output)')
    .option('--html <file>', 'write the report as an HTML page (-: standard output)')
    .option('--github', 'write GitHub annotations and the job summary')
}

/** Turns the flags into report options. Throws a UsageError for invalid flags. */
export function toReportOptions({
  failOn,
  ignore,
  minCoverage,
  coverageOf,
}: ReportFlags): ReportOptions {
  const options = {
    ...(failOn && { failOn: checkRuleNames(failOn) }),
    ...(ignore && { ignore: checkRuleNames(ignore) }),
    ...(minCoverage !== undefined && { minCoverage }),
    ...(coverageOf && {
      coverageOf: coverageOf.join() === 'used' ? ('used' as const) : coverageOf,
    }),
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

/** The file name for standard output. */
export const STANDARD_OUTPUT = '-'

/** Writes a report to the files of the options and to the terminal, with `last` as the last line. Returns the exit code. */
export async function writeReport(
  report: Report,
  flags: ReportFlags,
  last?: string,
): Promise<number> {
  const { json, junit, html, github = false } = flags
  const isPiped = [json, junit, html].includes(STANDARD_OUTPUT)
  await writeTo(json, async () => `${JSON.stringify(report, null, 2)}\n`)
  await writeTo(junit, async () => {
    const { reportToJUnit } = await import('../report/junit.ts')
    return reportToJUnit(report)
  })
  await writeTo(html, async () => {
    const { toHtml } = await import('../report/html/page.tsx')
    return toHtml(report)
  })
  // If a report goes to standard output, nothing else may.
  const terminal = isPiped ? process.stderr : process.stdout
  if (!isPiped) terminal.write(`${toText(report, { paint: painter(terminal) })}\n`)
  if (github) {
    terminal.write(toAnnotations(report))
    await appendSummary(() => toSummary(report))
  }

  if (last !== undefined) terminal.write(`${last}\n`)

  return report.verdict === 'failed' ? 1 : 0
}

/** Adds Markdown to the summary of a GitHub job; nothing elsewhere. */
export async function appendSummary(toMarkdown: () => string): Promise<void> {
  const { GITHUB_STEP_SUMMARY: summary } = process.env
  if (summary) await withUsageError(summary, () => appendFile(summary, `${toMarkdown()}\n`))
}

/** Writes a file and its folders, or to the standard output for `-`. Does nothing without a file. */
export async function writeTo(
  file: string | undefined,
  toContent: () => Promise<string>,
): Promise<void> {
  if (file === undefined) return
  const content = await toContent()
  if (file === STANDARD_OUTPUT) process.stdout.write(content)
  else {
    await withUsageError(file, async () => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
    })
  }
}

async function withUsageError(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (cause) {
    if (systemErrorCode(cause) === 'unknown') throw cause
    throw refusedBySystem(cause, {
      code: 'unwritable_report',
      task: `write ${file}`,
      help: 'Name another file.',
    })
  }
}
