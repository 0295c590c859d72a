import type { Report } from './report.ts'
import { ignoredErrorsSentence } from './verdict-sentence.ts'

/** Explains a verdict that has no reasons. */
const EXPLANATIONS = {
  passed: 'No finding makes the report fail.',
  failed: '',
  'not-judged': 'No rule and no minimum coverage can make this report fail.',
} as const

/** Why the verdict is what it is, to be shown beside the verdict. */
export function explainVerdict(report: Report): string {
  const { verdict, reasons } = report
  if (reasons.length > 0) return `${reasons.join('; ')}.`
  const ignored = verdict === 'passed' ? ignoredErrorsSentence(report) : undefined

  return [EXPLANATIONS[verdict], ignored].filter(Boolean).join(' ')
}
