import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { describeWhere, type ForceRule } from '../../forcing/force-rule.ts'
import { hasRetryAfter, isOutcome, type Outcome, outcomeOf } from '../../forcing/outcomes.ts'
import { rangeOf } from '../../time/duration.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { messageOf, useFormAction, useLoaded, usePage } from '../page.ts'
import { ErrorText, Form, SubmitButton } from '../parts/elements.tsx'
import { Field, Select, useSearch } from '../parts/field.tsx'
import { type AnswerField, AnswerFields, EMPTY_ANSWER, readAnswer } from './answer-fields.tsx'

/** What each outcome is, in the order of the list. */
export const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  'server-error': '500, the service fails',
  unavailable: '503 with a Retry-After',
  'rate-limited': '429, the quota of the minute is spent',
  'day-exhausted': '429, the quota of the day is spent',
  banned: '429, the key is banned',
  unauthorized: '401, the key is missing or not valid',
  'bad-request': '400, the input is not valid',
  'not-found': '404, the resource does not exist',
  removed: '404, the operation is past its sunset',
  timeout: 'no response, and the connection stays open',
  reset: 'no response, and the connection is closed',
  malformed: 'the body is not valid JSON',
  truncated: 'the connection is closed after half of the body',
  slow: 'the response is delayed',
  'access-denied': 'sign-in: the user denies access',
  'invalid-grant': 'sign-in: the code or the refresh token is refused',
  'temporarily-unavailable': 'sign-in: the issuer is temporarily unavailable',
  'expired-token': 'sign-in: the access token ends at once',
  'wrong-state': 'sign-in: the browser comes back with another state',
  'rotated-keys': 'sign-in: another key signs',
  'clock-skew': 'sign-in: the clock of the issuer is ten minutes ahead',
}

/** Forces an outcome on the requests that match. */
export function ForceForm(): JSX.Element {
  const { client } = usePage()
  const operations = useLoaded(() => client.operations()).value ?? []
  const keys = useLoaded(() => client.keys()).value ?? []
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const details = useOperation(draft.operations)
  const { force, isBusy, errors, problem } = useForce()
  const change = (changes: Partial<RuleDraft>): void => setDraft({ ...draft, ...changes })
  const field = (name: DraftField) => ({
    value: draft[name],
    error: errors[name],
    onInput: (value: string) => change({ [name]: value }),
  })

  return (
    <Form
      class="card force-form"
      aria-label="Force an outcome"
      noValidate
      onSubmit={() => force(draft)}
    >
      <h2>Force an outcome</h2>
      <Select
        label="Outcome"
        value={draft.outcome}
        choices={Object.entries({ ...OUTCOME_TEXTS, [ANY_ANSWER]: ANSWER_TEXT }).map(
          ([value, text]) => ({ value, label: `${value}: ${text}` }),
        )}
        onChange={(outcome) =>
          (isOutcome(outcome) || outcome === ANY_ANSWER) && change({ outcome })
        }
      />
      <OperationPicker
        operations={operations.map(({ operation, method, path }) => ({
          operation,
          request: `${method} ${path}`,
        }))}
        chosen={draft.operations}
        onChange={(chosen) => change({ operations: chosen })}
      />
      {draft.outcome === ANY_ANSWER ? (
        <AnswerFields responses={details?.responses ?? []} field={field} />
      ) : (
        <DocumentedStatuses details={details} />
      )}
      <div class="field-grid">
        <Field
          label="Key"
          {...field('key')}
          suggestions={keys.map(({ key }) => key)}
          placeholder="every key"
        />
        <Field label="Times" {...field('times')} placeholder="every time" />
        <Field label="Probability" {...field('probability')} placeholder="such as 20%" />
        {sendsRetryAfter(draft) && (
          <Field label="Retry-After in seconds" {...field('retryAfter')} placeholder="default" />
        )}
      </div>
      <MoreConditions
        methods={[...new Set(operations.map(({ method }) => method))]}
        field={field}
      />
      {problem && <ErrorText>{problem}</ErrorText>}
      <p class="buttons">
        <SubmitButton isBusy={isBusy} isPrimary label="Force outcome" />
      </p>
    </Form>
  )
}

/** Sends the rules of a draft. What the sandbox refuses is shown at its field, or as the problem of the whole rule. */
function useForce() {
  const { client } = usePage()
  const { run, isBusy, error } = useFormAction()
  const [wrong, setWrong] = useState<DraftErrors>({})
  const field = fieldOf(error)
  const force = (draft: RuleDraft): void => {
    const { rules, errors } = toRules(draft)
    setWrong(errors)
    const forceAll = async (): Promise<void> => {
      for (const rule of rules) await client.force(rule)
    }
    const what = draft.outcome === ANY_ANSWER ? 'The answer' : draft.outcome
    if (Object.keys(errors).length === 0) run(forceAll, `${what} is forced.`)
  }
  const isWrong = Object.keys(wrong).length > 0
  const errors: DraftErrors = isWrong || !field ? wrong : { [field]: messageOf(error) }

  return { force, isBusy, errors, problem: isWrong || field ? '' : messageOf(error) }
}

interface PickerProps {
  readonly operations: readonly { readonly operation: string; readonly request: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** Documents with more operations get a search field. */
const SEARCHED = 8

/** Chooses operations. None chosen is every operation. */
function OperationPicker({ operations, chosen, onChange }: PickerProps): JSX.Element {
  const search = useSearch('Search operations')
  const found = operations.filter(
    ({ operation, request }) =>
      chosen.includes(operation) || search.isFound(`${operation} ${request}`),
  )
  const toggle = (operation: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, operation] : chosen.filter((one) => one !== operation))

  return (
    <fieldset class="picker">
      <legend>
        Operations{' '}
        <span class="quiet">
          {chosen.length === 0 ? 'every operation' : `${chosen.length} chosen`}
        </span>
      </legend>
      {operations.length > SEARCHED && search.field}
      <ul class="picker-list">
        {found.map(({ operation, request }) => (
          <li key={operation}>
            <label>
              <input
                type="checkbox"
                checked={chosen.includes(operation)}
                onChange={({ currentTarget }) => toggle(operation, currentTarget.checked)}
              />
              <span class="long">
                {operation} <code class="quiet">{request}</code>
              </span>
            </label>
          </li>
        ))}
        {found.length === 0 && <li class="quiet">No operation matches.</li>}
      </ul>
    </fieldset>
  )
}

interface ConditionsProps {
  readonly methods: readonly string[]
  /** The value of a field, its error, and how to change it. */
  readonly field: (name: DraftField) => {
    readonly value: string
    readonly error: string | undefined
    readonly onInput: (value: string) => void
  }
}

/** The conditions of a rule that are needed less often. */
function MoreConditions({ methods, field }: ConditionsProps): JSX.Element {
  const { value, onInput } = field('method')
  const hasErrors = (['path', 'skip', 'latency'] as const).some((name) => field(name).error)

  return (
    <details {...(hasErrors && { open: true })}>
      <summary>More conditions</summary>
      <div class="field-grid">
        <Select
          label="Method"
          value={value}
          choices={[{ value: '', label: 'every method' }, ...methods]}
          onChange={onInput}
        />
        <Field label="Path" {...field('path')} placeholder="every path" hint="Such as /books/*" />
        <Field label="Requests to skip first" {...field('skip')} placeholder="0" />
        <Field
          label="Delay"
          {...field('latency')}
          placeholder="default"
          hint="Such as 200ms or 100ms..2s"
        />
      </div>
    </details>
  )
}

type OperationDetails = Awaited<ReturnType<SandboxClient['operation']>>

/** What the document says about the operation, when one is chosen. */
function useOperation([id, ...others]: readonly string[]): OperationDetails | undefined {
  const { client } = usePage()
  const single = others.length === 0 ? id : undefined
  const { value } = useLoaded(
    async () =>
      single === undefined ? undefined : client.operation(single, { diagnostics: false }),
    [single],
  )
  return value?.operation === single ? value : undefined
}

interface StatusesProps {
  readonly details: OperationDetails | undefined
}

/** The statuses that the document has for the operation, when one is chosen, and how a request gets any of them. */
function DocumentedStatuses({ details }: StatusesProps): JSX.Element | null {
  const { linkTo } = usePage()
  if (!details) return null
  const { operation: single, responses } = details
  const statuses = responses.map(({ status }) => status)
  const example = statuses.find((status) => status >= 400) ?? statuses[0]
  if (example === undefined) return null

  return (
    <p class="hint long">
      Documented statuses: {statuses.join(', ')}. A single request gets any of them with the header{' '}
      <code>Prefer: code={example}</code>.{' '}
      <a href={linkTo({ view: 'operations', path: [single] })}>Send a request to {single}</a>
    </p>
  )
}

/** A rule in force, and how often it applied. */
export type ForcedOutcome = Awaited<ReturnType<SandboxClient['forced']>>[number]

/** What is chosen for an answer that is no outcome. */
const ANY_ANSWER = 'answer'
const ANSWER_TEXT = 'a status, an example, wrong fields, a body, headers or a fault'

/** What is typed about the requests, and when they are answered. An empty text is no condition. */
const EMPTY_CONDITIONS = {
  method: '',
  path: '',
  key: '',
  times: '',
  skip: '',
  probability: '',
  retryAfter: '',
  latency: '',
}

/** A field that is typed as text. */
type DraftField = keyof typeof EMPTY_CONDITIONS | AnswerField

const EMPTY_TEXTS: Readonly<Record<DraftField, string>> = { ...EMPTY_ANSWER, ...EMPTY_CONDITIONS }

/** What is chosen and typed in the form. */
export interface RuleDraft extends Readonly<Record<DraftField, string>> {
  readonly outcome: Outcome | 'answer'
  /** A rule is made for each of them; one rule for every operation when there are none. */
  readonly operations: readonly string[]
}

export const EMPTY_DRAFT: RuleDraft = { outcome: 'server-error', operations: [], ...EMPTY_TEXTS }

/** What is wrong, by field. */
type DraftErrors = Readonly<Partial<Record<DraftField, string>>>

const NUMBERS = ['times', 'skip', 'retryAfter'] as const

/** The smallest integer that each of these fields takes. */
const SMALLEST: Readonly<Record<(typeof NUMBERS)[number], number>> = {
  times: 1,
  skip: 0,
  retryAfter: 0,
}

/** The rules of a draft, and what is wrong with it. The sandbox checks the rest. */
export function toRules(draft: RuleDraft): {
  readonly rules: readonly ForceRule[]
  readonly errors: DraftErrors
} {
  const numbers = NUMBERS.filter((name) => isSent(draft, name)).map(
    (name) => [name, Number(draft[name])] as const,
  )
  const wrong = numbers.filter(
    ([name, value]) => !(Number.isSafeInteger(value) && value >= SMALLEST[name]),
  )
  const probability = draft.probability.trim() === '' ? {} : readProbability(draft.probability)
  const latency = readLatency(draft.latency.trim())
  const isAny = draft.outcome === ANY_ANSWER
  const read = isAny ? readAnswer(draft) : undefined
  const errors: DraftErrors = {
    ...read?.errors,
    ...Object.fromEntries(
      wrong.map(([name]) => [name, `It must be an integer ≥ ${SMALLEST[name]}.`]),
    ),
    ...(probability.error !== undefined && { probability: probability.error }),
    ...(latency.error !== undefined && { latency: latency.error }),
  }
  const [method, path, key] = [draft.method, draft.path, draft.key].map((text) => text.trim())
  const rule: ForceRule = {
    ...(draft.outcome === ANY_ANSWER ? read?.answer : { outcome: draft.outcome }),
    ...(method && { method }),
    ...(path && { path }),
    ...(key && { key }),
    ...Object.fromEntries(numbers),
    ...(probability.value !== undefined && { probability: probability.value }),
    ...latency.rule,
  }
  const { operations } = draft

  return {
    rules:
      operations.length === 0 ? [rule] : operations.map((operation) => ({ ...rule, operation })),
    errors,
  }
}

/** A probability as it is typed: a number, such as `0.2`, or a percentage, such as `20%`. */
export function readProbability(text: string): {
  readonly value?: number
  readonly error?: string
} {
  const [, digits = '', percent] = /^\s*([\d.]+)\s*(%?)\s*$/.exec(text) ?? []
  const value = Number(digits) / (percent ? 100 : 1)
  if (digits !== '' && value > 0 && value <= 1) return { value }

  return { error: 'Write a number above 0 and up to 1, or a percentage such as 20%.' }
}

/** A Retry-After that was typed for another outcome is not sent. */
function isSent(draft: RuleDraft, name: (typeof NUMBERS)[number]): boolean {
  return draft[name].trim() !== '' && (name !== 'retryAfter' || sendsRetryAfter(draft))
}

function sendsRetryAfter({ outcome, status }: RuleDraft): boolean {
  const known = outcomeOf(outcome === ANY_ANSWER ? { status: Number(status) } : { outcome })
  return known !== undefined && hasRetryAfter(known)
}

/** A delay as it is typed; an empty text is none. */
export function readLatency(text: string): {
  readonly rule?: Pick<ForceRule, 'latency'>
  readonly error?: string
} {
  if (text === '') return {}
  try {
    return { rule: { latency: rangeOf(text) } }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { error: `${error.reason}. ${error.help}`.trim() }
  }
}

/** The field of the form that the sandbox refused; `undefined` when the error is about the whole rule. */
export function fieldOf(error: unknown): DraftField | undefined {
  if (!(error instanceof UsageError) || error.location === undefined) return undefined
  const [name = ''] = error.location.replace(/^body\./, '').split('.')
  return isDraftField(name) ? name : undefined
}

function isDraftField(name: string): name is DraftField {
  return Object.hasOwn(EMPTY_TEXTS, name)
}

/** On which requests a rule is forced: `every request`, or `listPets, key sk_1, path /pets/*`. */
export function describeConditions(rule: ForcedOutcome): string {
  const { operation, method, path, key } = rule
  const own = [operation, method, path, key && `key ${key}`, describeWhere(rule)]
  return list(own) || 'every request'
}

/** How a rule is forced on these requests, such as `probability 0.5, Retry-After 2 s`. */
export function describeSettings(rule: ForcedOutcome): string {
  const { skip, probability, retryAfter, latency } = rule
  return list([
    skip !== undefined && `after ${skip} skipped`,
    probability !== undefined && `probability ${probability}`,
    retryAfter !== undefined && `Retry-After ${retryAfter} s`,
    latency !== undefined && `delay ${latency}`,
  ])
}

function list(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(', ')
}
