import { count } from '../validation/usage-error.ts'
import type { Report } from './report.ts'

const NOT_JUDGED = 'Not judged: no rule and no minimum coverage can make this report fail.'

/** The verdict as a sentence. */
export function verdictSentence(report: Report): string {
  const { verdict, reasons } = report
  if (verdict === 'not-judged') return NOT_JUDGED
  if (verdict === 'failed') return `Failed: ${reasons.join('; ')}.`
  const ignored = ignoredErrorsSentence(report)
  return ignored === undefined ? 'Passed.' : `Passed. ${ignored}`
}

/** For a report that passed: the number of errors that could not make it fail. `undefined` when there are none. */
export function ignoredErrorsSentence({ findings }: Report): string | undefined {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  if (errors === 0) return undefined
  return `${count(errors, 'error')} did not make the report fail, because failOn does not include ${errors === 1 ? 'it' : 'them'}.`
}
