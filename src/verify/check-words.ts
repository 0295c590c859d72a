import { UsageError } from '../validation/usage-error.ts'
import type { Check } from './checks/check.ts'
import type { TestPlan } from './test-plan.ts'

/** Throws a `UsageError` when no check of a plan has the words. */
export function requireSelectedCheck(
  { probes, checksOfAllResponses }: TestPlan,
  only: string,
): void {
  const checks = [...probes.flatMap((probe) => probe.checks), ...checksOfAllResponses]
  if (checks.some((check) => hasWords(check, only))) return
  throw new UsageError({
    code: 'no_check',
    task: `verify only "${only}"`,
    reason: 'no check has these words',
    help: 'Use words of the checks that --verbose lists.',
  })
}

/** Whether a check has all of the words in its id, name or clause. */
export function hasWords({ id, name, clause }: Check, words: string): boolean {
  const text = `${id} ${name} ${clause}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
