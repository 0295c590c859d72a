import type { Report } from './report.ts'

const NOT_JUDGED = 'Not judged: no rule and no coverage was given that can fail the report.'

/** The verdict as a sentence. */
export function verdictSentence(report: Report): string {
  const { verdict, reasons } = report
  if (verdict === 'not-judged') return NOT_JUDGED
  if (verdict === 'failed') return `Failed: ${reasons.join('; ')}.`
  const unjudged = ignoredErrorsSentence(report)
  return unjudged === undefined ? 'Passed.' : `Passed. ${unjudged}`
}

/** Says of a report that passed how many errors it has nevertheless; `undefined` for none. */
export function ignoredErrorsSentence({ findings }: Report): string | undefined {
  const count = findings.filter(({ severity }) => severity === 'error').length
  if (count === 0) return undefined
  return `${count === 1 ? '1 error was' : `${count} errors were`} not judged.`
}
