import { groupBy } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import { integerFrom, is, listOf, oneOf, text, withFields } from '../validation/value-check.ts'
import { CALLER, DELIVERY, firstMistake, NOTES, number, timestamp } from './exchange-check.ts'
import { toOneLine } from './format.ts'
import type { ReceiverJudgement } from './receivers.ts'
import { missingRequestNotices } from './recordings.ts'
import type { ReportEntry } from './report-entry.ts'
import { RECEIVER_RULE_NAMES } from './rules.ts'

/** The contents of a JSON report from which another report can be made. */
export interface ReportContents {
  readonly recordings: readonly (readonly ReportEntry[])[]
  /** Without the notices that follow from the recordings. */
  readonly notices: readonly string[]
  readonly receivers: readonly ReceiverJudgement[]
}

/**
 * Reads a JSON report; `undefined` for a value that is not a report. Throws a UsageError for a report on another API and
 * for an invalid one; `name` is its name in the message.
 */
export function readReport(value: unknown, title: string, name = 'it'): ReportContents | undefined {
  if (!isTitled(value)) return undefined
  if (value.title !== title) {
    throw new UsageError({
      code: 'other_contract',
      task: `report on ${name}`,
      reason: `it is a report on ${toOneLine(value.title)}, not on ${title}`,
      help: 'Name its document with --openapi.',
    })
  }
  const { entries, receivers = [] } = value
  if (!areEntries(entries) || !areReceivers(receivers)) {
    const mistake = firstMistake({ entries }, ENTRIES) ?? firstMistake({ receivers }, RECEIVERS)
    throw new UsageError({
      code: 'invalid_report',
      task: `read ${name}`,
      reason: mistake ?? 'it is not valid',
      help: 'Give the JSON of a report without changes.',
    })
  }
  return {
    recordings: [...groupBy(entries, ({ recording }) => recording).values()],
    notices: readNotices(value.notices, entries),
    receivers,
  }
}

function readNotices(notices: unknown, entries: readonly ReportEntry[]): readonly string[] {
  const texts = Array.isArray(notices) ? notices.filter((one) => typeof one === 'string') : []
  const derived = missingRequestNotices(entries)
  return texts.filter((text) => !derived.includes(text))
}

const BOOLEAN = is('true or false', (value) => typeof value === 'boolean')

const ENTRY = withFields(
  {
    id: text,
    recording: integerFrom(1),
    time: timestamp,
    end: number,
    method: text,
    target: text,
    caller: CALLER,
    key: text,
    status: integerFrom(0, 999),
    forced: BOOLEAN,
    notes: NOTES,
    faults: listOf(text),
  },
  {
    world: text,
    number: integerFrom(1),
    follows: integerFrom(0),
    delivery: DELIVERY,
    operation: text,
    client: text,
    plan: text,
    refusal: oneOf('refusal', ['minute', 'day', 'ban', 'limit']),
    retryAt: timestamp,
    code: text,
    body: text,
    next: text,
    window: withFields({ limit: integerFrom(0), remaining: integerFrom(0), reset: timestamp }),
  },
)

const ENTRIES = withFields({ entries: listOf(ENTRY) })

function areEntries(entries: unknown): entries is readonly ReportEntry[] {
  return firstMistake({ entries }, ENTRIES) === undefined
}

const RECEIVERS = withFields({
  receivers: listOf(
    withFields(
      {
        url: text,
        requests: integerFrom(1),
        checks: listOf(
          withFields({
            rule: oneOf('rule', RECEIVER_RULE_NAMES),
            verdict: oneOf('verdict', ['passed', 'failed', 'not-judged']),
            message: text,
            deliveries: listOf(integerFrom(1)),
          }),
        ),
      },
      { subscription: text },
    ),
  ),
})

function areReceivers(receivers: unknown): receivers is readonly ReceiverJudgement[] {
  return firstMistake({ receivers }, RECEIVERS) === undefined
}

function isTitled(value: unknown): value is {
  readonly title: string
  readonly entries: unknown
  readonly notices?: unknown
  readonly receivers?: unknown
} {
  const { title, entries } = Object(value)
  return typeof title === 'string' && Array.isArray(entries)
}
